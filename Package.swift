// swift-tools-version: 6.2
// SPDX-License-Identifier: GPL-3.0-or-later
// This file is the architecture diagram: each target lists exactly what it may see.

import PackageDescription

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

/// Headers plus the least C that lets Swift see a kernel interface.
func shim(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies)
}

/// A Debian -dev package, found by pkg-config.
func library(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let arguments = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "vitrine",
    products: [],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        shim("CLinux"),
        stage("LinuxIO", ["CLinux"]),
        stage("Media", ["CLinux", "LinuxIO"]),
        shim("CV4L2"),
        library("CDRMLibrary", pkgConfig: "libdrm", apt: "libdrm-dev"),
        shim("CDRM", ["CDRMLibrary"]),
        stage("DRM", ["CDRM", "LinuxIO", "Media"]),
        stage("V4L2", ["CV4L2", "LinuxIO", "Media"]),
        stage("Capture", ["V4L2", "LinuxIO", "Media"]),
        stage("CommandProtocol", ["LinuxIO"]),
    ]
)
