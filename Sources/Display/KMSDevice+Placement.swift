// SPDX-License-Identifier: GPL-3.0-or-later

internal import DRM
public import Imaging
internal import Media

/// Finding out what the hardware can do, by asking the kernel (`TEST_ONLY`): nothing changes on screen
/// before it is known to work.
extension KMSDevice {
    public func placeVideo(
        _ image: any ScanoutImage, _ layout: VideoLayout
    ) throws -> LayerPlacement {
        guard let image = image as? Framebuffer else {
            throw DisplayError(.unsupported, "a picture of another display")
        }
        let picture = image.description
        for candidate in modes(for: picture.dimensions) {
            let placement = layout.place(picture.dimensions, on: candidate.size)
            guard var overlay = try test(image, placement, on: candidate) else { continue }
            if candidate != mode {
                try setMode(candidate)
                // Flips change no modes: what works with a modeset must work without one, too.
                guard let still = try test(image, placement, on: candidate) else { continue }
                overlay = still
            }
            if case .plane(let plane) = overlay { overlayPlane = plane }
            return placement
        }
        throw DisplayError(
            .unsupported,
            "\(connector.name) at \(mode.name) cannot scan out \(picture.dimensions) "
                + "\(picture.pixelFormat)")
    }

    /// The modes for a picture: the monitor's own first, so that a camera which fits it gets it back.
    private func modes(for picture: Dimensions) -> [DisplayMode] {
        guard selection.mode == .automatic, picture != native.size,
            let match = connector.modes.first(where: { $0.size == picture })
        else { return [native] }
        return [native, match]
    }

    private enum OverlayChoice {
        case plane(Plane)
        /// The display has no overlay.
        case absent
    }

    /// Whether this picture works at this place in this mode, the overlay above it included; `nil` if
    /// not.
    private func test(
        _ image: Framebuffer, _ placement: LayerPlacement, on mode: DisplayMode
    ) throws -> OverlayChoice? {
        let blob = mode == self.mode ? nil : try PropertyBlob(card, mode: mode)
        if hasOverlay { return findOverlay(above: image, placement, mode, blob).map { .plane($0) } }
        return works(image, placement, mode, blob, overlay: nil) ? .absent : nil
    }

    /// The first overlay plane that works above this picture, that in use before all others.
    func findOverlay(
        above image: Framebuffer, _ placement: LayerPlacement, _ mode: DisplayMode,
        _ blob: PropertyBlob?
    ) -> Plane? {
        guard !overlayPlanes.isEmpty,
            let picture = try? card.makeDumbFramebuffer(
                .argb, mode.size, color: .jpeg, keepsMapping: false)
        else { return nil }
        let current = overlayPlane.map { [$0] } ?? []
        return (current + overlayPlanes).first { plane in
            works(image, placement, mode, blob, overlay: (plane, picture))
        }
    }

    private func works(
        _ image: Framebuffer, _ placement: LayerPlacement, _ mode: DisplayMode,
        _ blob: PropertyBlob?, overlay: (plane: Plane, picture: Framebuffer)?
    ) -> Bool {
        build(image, placement, mode, blob, overlay: overlay)
            && (try? request.commit(card, blob == nil ? .testOnly : [.testOnly, .allowModeset]))
                != nil
    }

    /// Makes ``request`` a state of the whole screen.
    ///
    /// - Parameter blob: the mode's, when it is not the one in use.
    /// - Returns: whether the planes can be told so at all.
    @discardableResult
    func build(
        _ image: Framebuffer, _ placement: LayerPlacement, _ mode: DisplayMode,
        _ blob: PropertyBlob?, overlay: (plane: Plane, picture: Framebuffer)?
    ) -> Bool {
        request.clear()
        if let blob { request.activate(crtc, connector, blob) }
        let canShow = request.show(
            image, on: primary, of: crtc, card: card, source: placement.source,
            target: placement.target, mirrored: placement.isMirrored)
        for plane in visiblePlanes where plane.identifier != overlay?.plane.identifier {
            request.hide(plane)
        }
        guard let overlay else { return canShow }
        let whole = PixelRect(mode.size)
        let canOverlay = request.show(
            overlay.picture, on: overlay.plane, of: crtc, card: card, source: whole, target: whole)
        return canShow && canOverlay
    }
}
