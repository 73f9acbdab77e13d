// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Everything that is legal in a schema. Scripts/check-plugins has the command plugin write `Generated`, compiles it with
// warnings as errors, and runs the generated tests.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error),
]
let needs: [Target.Dependency] = ["LatchRPC", "AxiomArchitecture", "AxiomCore"].map {
    .product(name: $0, package: "Latchwork")
}

let package = Package(
    name: "torture",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Latchwork", path: "../..")],
    targets: [
        .target(
            name: "GeneratedTorture", dependencies: needs, path: "Generated/swift", exclude: ["Tests"],
            swiftSettings: strict),
        .testTarget(
            name: "GeneratedTortureTests", dependencies: needs + ["GeneratedTorture"], path: "Generated/swift/Tests",
            swiftSettings: strict),
    ])
