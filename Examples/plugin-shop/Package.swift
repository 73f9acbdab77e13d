// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A package of its own: its .proto file becomes Swift whenever it is built. Try `swift run shop`.
let package = Package(
    name: "plugin-shop",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Latchwork", path: "../..")],
    targets: [
        .executableTarget(
            name: "shop", dependencies: [.product(name: "LatchRPC", package: "Latchwork")], path: "Sources/Shop",
            plugins: [.plugin(name: "GenerateContracts", package: "Latchwork")])
    ])
