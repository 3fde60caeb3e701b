// SPDX-License-Identifier: GPL-3.0-or-later

// Debug builds allocate where release builds do not.
#if !DEBUG
    import CAllocations
    import Imaging
    import Media
    import Testing

    @Suite("allocations per frame")
    struct AllocationTests {
        private func allocations(_ body: () -> Void) -> Int {
            let before = callocations_of_this_thread()
            body()
            return callocations_of_this_thread() - before
        }

        @Test("the counter counts allocations")
        func counter() {
            var kept: [[UInt8]] = []
            kept.reserveCapacity(16)
            let count = allocations {
                for size in 1...10 { kept.append([UInt8](repeating: 1, count: size * 100)) }
            }
            #expect(count >= 10 && kept.count == 10)
        }

        @Test(
            "a conversion allocates nothing after its first frame",
            arguments: TestFrame.yuvFormats + TestFrame.rgbFormats, [PixelFormat.nv12, .xrgb])
        func conversion(_ from: PixelFormat, _ to: PixelFormat) throws {
            guard PixelConverter.canConvert(from: from, to: to) else { return }
            for color in Reference.all {
                let converter = PixelConverter()
                var source = TestFrame(from, 640, 480, color: color)
                var result = TestFrame(to, 640, 480, color: color)
                var failures = 0
                let count = unsafe source.access { pixels in
                    unsafe result.access { target in
                        func convert() {
                            do { try unsafe converter.convert(pixels, to: target) } catch {
                                failures += 1
                            }
                        }
                        convert()
                        return allocations { for _ in 0..<100 { convert() } }
                    }
                }
                #expect(count == 0 && failures == 0, "\(color)")
            }
        }

        /// libjpeg allocates and frees its pools for every picture. Vitrine adds no allocation,
        /// least of all one of a frame's size.
        @Test("decoding and encoding allocate the same few pools for every frame")
        func jpeg() throws {
            let jpeg = try Tool.cjpeg(.scene(640, 480), ["-sample", "2x1"])
            let (decoder, encoder) = (try JPEGDecoder(), try JPEGEncoder())
            var frame = TestFrame(.yuv422, 640, 480, color: .jpeg)
            var failures = 0
            let counts = unsafe frame.access { access in
                func decode() {
                    do { try unsafe decoder.decode(jpeg, into: access) } catch { failures += 1 }
                }
                func encode() {
                    do { try unsafe encoder.withEncoded(access, quality: 90) { _ in } } catch {
                        failures += 1
                    }
                }
                decode()
                encode()
                return (
                    allocations { for _ in 0..<100 { decode() } },
                    allocations { for _ in 0..<100 { encode() } }
                )
            }
            #expect(failures == 0)
            #expect(counts.0 % 100 == 0 && counts.1 % 100 == 0, "\(counts)")
            #expect(counts.0 / 100 <= 20 && counts.1 / 100 <= 20, "\(counts)")
            print("allocations per frame: decoding \(counts.0 / 100), encoding \(counts.1 / 100)")
        }
    }
#endif
