// swift-tools-version: 6.2
// SPDX-License-Identifier: GPL-3.0-or-later
// This file is the architecture diagram: each target lists exactly what it may see.

import Foundation
import PackageDescription

/// The version of the newest entry of Debian's changelog, the only place that names one.
let version: String = {
    let path = "\(Context.packageDirectory)/board/debian/changelog"
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    guard let begin = text.firstIndex(of: "("), let end = text.firstIndex(of: ")") else {
        fatalError("\(path): no version, as in: vitrine (1.2.3) trixie; urgency=medium")
    }
    return String(text[text.index(after: begin)..<end])
}()

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatWarning("StrictMemorySafety", as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A Vitrine stage written in Swift.
func stage(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// Headers plus the least C that lets Swift use a kernel interface.
func shim(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies)
}

/// A Debian -dev package, found by pkg-config.
func library(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

/// Tests are compiled without optimization, which takes half the time; the code under test is
/// optimized.
func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude,
        swiftSettings: settings + [.unsafeFlags(["-Onone"])])
}

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let arguments = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "vitrine",
    products: [
        .executable(name: "vitrine", targets: ["vitrine"]),
        .library(name: "VitrineKit", targets: ["VitrineKit"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(
            url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0", traits: []),
    ],
    targets: [
        // The kernel and C libraries: headers plus the least C.
        shim("CLinux"),
        .target(
            name: "CVersion",
            cSettings: [.define("VITRINE_VERSION", to: "\"\(version)\"")]),
        shim("CV4L2"),
        shim("CUnicodeData"),
        library("CDRMLibrary", pkgConfig: "libdrm", apt: "libdrm-dev"),
        shim("CDRM", ["CDRMLibrary"]),
        .target(name: "CGPIO", linkerSettings: [.linkedLibrary("gpiod")]),
        .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
        .target(name: "CExiv2", linkerSettings: [.linkedLibrary("exiv2")]),
        .target(name: "CLCMS", linkerSettings: [.linkedLibrary("lcms2")]),
        .target(name: "CPNG", linkerSettings: [.linkedLibrary("png")]),
        library("CInput", pkgConfig: "libevdev", apt: "libevdev-dev"),
        library("CUdev", pkgConfig: "libudev", apt: "libudev-dev"),
        library("CSystemd", pkgConfig: "libsystemd", apt: "libsystemd-dev"),
        .systemLibrary(name: "CYUV", providers: [.apt(["libyuv-dev"])]),
        library("CALSA", pkgConfig: "alsa", apt: "libasound2-dev"),
        library("CV4LConvert", pkgConfig: "libv4lconvert", apt: "libv4l-dev"),
        library("CTurboJPEG", pkgConfig: "libturbojpeg", apt: "libturbojpeg0-dev"),
        library("CExif", pkgConfig: "libexif", apt: "libexif-dev"),
        library("CGLib", pkgConfig: "glib-2.0", apt: "libglib2.0-dev"),
        library("CGcrypt", pkgConfig: "libgcrypt", apt: "libgcrypt20-dev"),
        library("CCairo", pkgConfig: "pangocairo", apt: "libpango1.0-dev"),
        shim("CTOML"),
        shim("CFFmpeg", ["CLinux"]),
        shim("CZBar", ["CLinux"]),
        shim("CASS", ["CLinux"]),
        shim("CGUPnP", ["CGLib", "CLinux"]),
        shim("CTIFF", ["CLinux"]),
        shim("CCurl", ["CLinux"]),
        .target(name: "CLibcamera", dependencies: ["CLinux"], exclude: ["shim"]),

        // The kernel in Swift, no policy.
        stage("LinuxIO", ["CLinux", "CUdev", "CSystemd"]),
        stage("Media", ["CLinux", "LinuxIO"]),
        stage("V4L2", ["CV4L2", "CV4LConvert", "LinuxIO", "Media"]),
        stage("Libcamera", ["CLibcamera", "CLinux", "LinuxIO", "Media"]),
        stage("DRM", ["CDRM", "LinuxIO", "Media"]),
        stage("ALSA", ["CALSA", "LinuxIO", "Media"]),
        stage("GPIO", ["CGPIO", "LinuxIO"]),
        stage("Input", ["CInput", "LinuxIO"]),

        // Pixels, files, pictures.
        stage(
            "Imaging", ["CJPEG", "CLCMS", "CPNG", "CTurboJPEG", "CYUV", "Media", "LinuxIO"]),
        stage("Hashing", ["CGcrypt", "LinuxIO"]),
        stage(
            "Codecs",
            [
                "CASS", "CExif", "CExiv2", "CFFmpeg", "CTIFF", "Hashing", "Imaging", "Media",
                "LinuxIO",
            ]),
        stage("Drawing", ["CCairo", "Media"]),

        // The stages of a photo.
        stage("Settings", ["CTOML", "Input"]),
        stage("Capture", ["ALSA", "Codecs", "Libcamera", "V4L2", "LinuxIO", "Media"]),
        stage("Detection", ["CZBar", "Capture", "Imaging", "LinuxIO", "Media"]),
        stage("Recording", ["Capture", "Codecs", "Imaging", "LinuxIO", "Media", "V4L2"]),
        stage("Store", [grdb, "LinuxIO"]),
        stage(
            "Library", ["Store", "Codecs", "CGLib", grdb, "Hashing", "Imaging", "LinuxIO", "Media"]),
        stage(
            "Importing", ["Library", "Codecs", "Drawing", "Imaging", "LinuxIO", "Media"]),
        stage("Network", ["CCurl", "LinuxIO"]),
        stage("Cache", ["Hashing", "LinuxIO", "Network", "Store", grdb]),
        stage("Sync", ["Hashing", "Library", "LinuxIO", "Network", "Settings", subprocess]),
        stage("Renderers", ["CGUPnP", "LinuxIO"]),
        stage("Playback", ["ALSA", "Codecs", "Imaging", "LinuxIO", "Media", "Network", "V4L2"]),
        stage("Display", ["DRM", "Imaging", "LinuxIO", "Media"]),
        stage("Health", ["LinuxIO"]),
        // One import for programs of others; Tests/Example is one.
        stage(
            "VitrineKit",
            ["Capture", "Display", "Library", "LinuxIO", "Media", "Recording"]),
        stage("Controls", ["GPIO", "Health", "Input", "LinuxIO", "Media"]),
        stage(
            "Simulation",
            [
                "Capture", "Codecs", "Controls", "Display", "GPIO", "Imaging", "Input", "LinuxIO",
                "Media",
            ]),
        stage("Kiosk", ["LinuxIO", "Media"]),
        stage(
            "Screens",
            [
                "Capture", "Display", "Drawing", "Health", "Imaging", "Kiosk", "LinuxIO", "Media",
                log,
            ]),
        stage("IIO", ["LinuxIO", "Media"]),
        stage("CommandProtocol", ["LinuxIO"]),

        // The services of the appliance.
        stage(
            "LibraryService",
            ["CommandProtocol", "Hashing", "Library", "LinuxIO", "Media", "Settings", log]),
        stage(
            "Devices",
            [
                "Cache", "Capture", "Codecs", "CommandProtocol", "Controls", "Detection", "Display",
                "DRM",
                "GPIO", "Health", "IIO", "Input", "Kiosk", "LinuxIO", "Media", "Recording",
                "Screens", "Settings", "Simulation", log,
            ]),
        stage(
            "Photography",
            [
                "Capture", "Codecs", "CommandProtocol", "Controls", "Devices", "Health", "Imaging",
                "Kiosk", "Library", "LibraryService", "LinuxIO", "Media", "Recording", "Screens",
                "Settings", "VitrineKit", log,
            ]),
        stage(
            "Viewing",
            [
                "Codecs", "CommandProtocol", "Devices", "Display", "Imaging", "Kiosk", "Library",
                "LibraryService", "LinuxIO", "Media", "Network", "Photography", "Playback",
                "Screens", "Settings", log,
            ]),
        stage(
            "Diagnostics",
            [
                "Capture", "Codecs", "CommandProtocol", "Controls", "Detection", "Devices",
                "Display", "GPIO", "Health", "Input", "Kiosk", "Library", "LibraryService",
                "LinuxIO", "Media", "Network", "Photography", "Recording", "Screens", "Settings",
                "Simulation", "V4L2", "Viewing", log,
            ]),
        stage(
            "Verbs",
            [
                "Capture", "Codecs", "CommandProtocol", "Controls", "Devices", "Diagnostics",
                "Display", "Drawing", "Health", "Imaging", "Kiosk", "Library", "LibraryService",
                "LinuxIO", "Media", "Network", "Photography", "Playback", "Recording", "Screens",
                "Settings", "Viewing", log,
            ]),

        // The product.
        stage(
            "Appliance",
            [
                "Capture", "CommandProtocol", "Controls", "Detection", "Devices", "Diagnostics",
                "Display", "Health", "Kiosk", "Library", "LibraryService", "LinuxIO", "Media",
                "Network", "Photography", "Recording", "Screens", "Settings", "Verbs", "Viewing",
                log,
            ]),
        stage(
            "Commands",
            [
                "Appliance", "Cache", "Capture", "CommandProtocol", "Devices", "Diagnostics",
                "Hashing", "Imaging", "Importing", "Library", "LibraryService", "LinuxIO", "Media",
                "Network",
                "Photography", "Playback", "Renderers", "Settings", "Sync", "Verbs", "Viewing",
                "CVersion",
                arguments, log,
                subprocess,
            ]),
        // Swift's libraries are linked statically. The modules are compiled for tests, too, which
        // have no static form, so the libraries that a static Foundation needs must be named.
        .executableTarget(
            name: "vitrine", dependencies: ["Commands", "CUnicodeData"], swiftSettings: settings,
            linkerSettings: [
                .unsafeFlags(["-static-stdlib"]), .linkedLibrary("CoreFoundation"),
                .linkedLibrary("_FoundationICU"), .linkedLibrary("_FoundationCShims"),
                .linkedLibrary("_FoundationCollections"),
            ]),

        // Tests.
        .target(
            name: "TestSupport", dependencies: ["CInput", "Capture", "Input", "LinuxIO", "Media"],
            path: "Tests/TestSupport", swiftSettings: settings),
        .executableTarget(
            name: "vitrine-example", dependencies: ["Simulation", "VitrineKit"],
            path: "Tests/Example", swiftSettings: settings),
        .target(name: "CAllocations", path: "Tests/ImagingTests/CAllocations"),
        .executableTarget(
            name: "jpeg-bench", dependencies: ["Imaging", "LinuxIO", "Media"],
            path: "Tests/ImagingTests/Bench", swiftSettings: settings),
        .testTarget(
            name: "ImagingTests",
            dependencies: ["Imaging", "Media", "CAllocations", "TestSupport"],
            exclude: ["Bench", "CAllocations"], swiftSettings: settings),
        tests("MediaTests", ["Media", "LinuxIO", "TestSupport"]),
        tests(
            "CaptureTests",
            ["ALSA", "Capture", "LinuxIO", "Media", "Simulation", "TestSupport", "V4L2"]),
        .executableTarget(
            name: "movie-bench",
            dependencies: ["Capture", "LinuxIO", "Media", "Recording", "TestSupport"],
            path: "Tests/RecordingTests/Bench", swiftSettings: settings),
        tests(
            "RecordingTests",
            [
                "Recording", "Capture", "Codecs", "Detection", "Imaging", "LinuxIO", "Media",
                "TestSupport", "movie-bench",
            ], exclude: ["Bench"]),
        tests(
            "DisplayTests",
            ["Capture", "Display", "Imaging", "LinuxIO", "Media", "Simulation", "TestSupport"]),
        tests(
            "SimulationTests",
            ["Simulation", "Capture", "Imaging", "LinuxIO", "Media", "TestSupport"]),
        tests("CommandProtocolTests", ["CommandProtocol", "LinuxIO", "TestSupport"]),
        tests(
            "ApplianceTests",
            [
                "Appliance", "Capture", "CommandProtocol", "Commands", "Controls", "Devices",
                "Diagnostics", "GPIO", "Health", "IIO", "Input", "Kiosk", "Library",
                "LibraryService", "LinuxIO", "Media", "Photography", "Recording", "Screens",
                "Settings", "Simulation", "TestSupport", "V4L2", "Verbs", "library-ingest",
                "vitrine-example",
            ]),
        tests(
            "DetectionTests",
            ["Detection", "Capture", "Imaging", "LinuxIO", "Media", "TestSupport"]),
        tests("HealthTests", ["Health", "TestSupport"]),
        tests("IIOTests", ["IIO", "Media", "TestSupport"]),
        tests("LinuxIOTests", ["LinuxIO", "TestSupport"]),
        tests("NetworkTests", ["LinuxIO", "Network", "TestSupport"]),
        tests("CacheTests", ["Cache", "LinuxIO", "Network", "TestSupport"]),
        tests("StoreTests", ["Store", "LinuxIO", grdb]),
        .executableTarget(
            name: "library-ingest", dependencies: ["Library", "LinuxIO", "Store", grdb],
            path: "Tests/LibraryTests/Ingest", swiftSettings: settings),
        .executableTarget(
            name: "library-bench", dependencies: ["Library", "LinuxIO", grdb],
            path: "Tests/LibraryTests/Bench", swiftSettings: settings),
        tests(
            "LibraryTests",
            ["Codecs", "Imaging", "Library", "LinuxIO", "Media", "TestSupport", "library-ingest"],
            exclude: ["Bench", "Ingest"]),
        tests(
            "ImportingTests",
            [
                "Importing", "Codecs", "Drawing", "Imaging", "Library", "LinuxIO", "Media",
                "TestSupport",
            ]),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Codecs", "CommandProtocol", "Imaging", "Importing", "Library", "LinuxIO", "Media",
                "Playback", "Settings",
            ], path: "Tests/Fuzz/Targets", swiftSettings: settings),
        tests("FuzzTests", ["FuzzTargets", "TestSupport"]),
        tests("CodecsTests", ["Codecs", "Hashing", "Imaging", "LinuxIO", "Media", "TestSupport"]),
        .executableTarget(
            name: "play-bench", dependencies: ["LinuxIO", "Media", "Playback"],
            path: "Tests/PlaybackTests/Bench", swiftSettings: settings),
        tests(
            "PlaybackTests",
            [
                "Codecs", "Display", "Imaging", "LinuxIO", "Media", "Network", "Playback",
                "TestSupport", "play-bench",
            ], exclude: ["Bench"]),
        tests("SettingsTests", ["Settings", "TestSupport"]),
        .executableTarget(
            name: "sync-herd", dependencies: ["Network", "Settings", "Sync"],
            path: "Tests/SyncTests/Herd",
            swiftSettings: settings),
        tests(
            "SyncTests",
            ["Imaging", "Library", "LinuxIO", "Media", "Settings", "Sync", "TestSupport"],
            exclude: ["Herd"]),
        tests("KioskTests", ["Kiosk", "Media", "TestSupport"]),
        tests(
            "ScreensTests",
            ["Screens", "Drawing", "Imaging", "Kiosk", "LinuxIO", "Media", "TestSupport"],
            exclude: ["References"]),
        tests("GPIOTests", ["GPIO", "LinuxIO", "TestSupport"]),
        tests("InputTests", ["Input", "LinuxIO", "TestSupport"]),
        tests(
            "ControlsTests",
            ["Controls", "GPIO", "Input", "LinuxIO", "Media", "TestSupport"],
            exclude: ["Traces"]),
    ],
    cxxLanguageStandard: .cxx17
)

// Only for board/host/fuzz: libFuzzer brings the main function.
if Context.environment["VITRINE_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "Fuzzer", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/Fuzzer",
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]))
    package.products.append(.executable(name: "Fuzzer", targets: ["Fuzzer"]))
}
