// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// The benchmarks, a package of their own beside the library: Scripts/run-benchmarks builds them in release. They are part
// of the project, so they see its `package` names, by its package name in place of their own; Linux only.

let parent = Context.packageDirectory.split(separator: "/").dropLast().last.map(String.init) ?? ""
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .unsafeFlags(["-package-name", String(parent.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })]),
]

/// Names with a prefix of the library are its products, the others are targets of this package.
func dependencies(_ names: String) -> [Target.Dependency] {
    names.split(separator: " ").map { name in
        name.hasPrefix("Latch") || ["AxiomArchitecture", "AxiomCore", "JWTAuthDependencies"].contains(name)
            ? .product(name: String(name), package: "Latchwork") : .byName(name: String(name))
    }
}

func benchmark(_ name: String, _ needs: String, in folder: String, excluding: [String] = []) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies(needs), path: "\(folder)/\(name)", exclude: excluding,
        packageAccess: false, swiftSettings: settings)
}

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Latchwork", path: "..")],
    targets: [
        .systemLibrary(name: "CCurlHeaders", path: "CCurlHeaders", pkgConfig: "libcurl"),
        .systemLibrary(name: "CMicroHTTPD", path: "CMicroHTTPD", pkgConfig: "libmicrohttpd"),
        .target(name: "CMeasure", path: "CMeasure"),
        .target(name: "CBareCurl", dependencies: ["CCurlHeaders"], path: "HTTP/CBareCurl"),
        .target(name: "CBareServer", dependencies: ["CMicroHTTPD"], path: "Server/CBareServer"),
        .target(name: "Baselines", path: "Baselines", packageAccess: false, swiftSettings: settings),

        benchmark("bench-http", "LatchHTTP CBareCurl CMeasure Baselines", in: "HTTP"),
        benchmark("bench-interceptors", "LatchHTTP LatchCore CMeasure", in: "HTTP"),
        benchmark("bench-cookies", "LatchHTTP CMeasure", in: "Cookies"),
        benchmark("bench-server", "LatchServer LatchHTTP CBareServer", in: "Server"),
        .target(
            name: "ServedIdentity", dependencies: dependencies("LatchIdentity LatchServer"),
            path: "Identity/ServedIdentity", packageAccess: false, swiftSettings: settings),
        benchmark(
            "bench-identity", "ServedIdentity LatchIdentity LatchServer LatchJOSE LatchHTTP LatchCore", in: "Identity"),
        benchmark(
            "bench-abuse", "ServedIdentity LatchIdentity LatchServer LatchRPC LatchHTTP LatchCore", in: "Identity"),
        benchmark("bench-lists", "LatchIdentity", in: "Identity"),
        benchmark("bench-session", "LatchAuth LatchServer LatchJOSE LatchHTTP LatchCore CMeasure", in: "Session"),
        benchmark(
            "bench-oauth", "LatchOAuth LatchAuth LatchServer LatchJOSE LatchCrypto LatchHTTP LatchCore CMeasure",
            in: "Session"),
        benchmark("bench-jwtauth", "JWTAuthDependencies LatchAuth LatchHTTP LatchCore CMeasure", in: "Session"),
        benchmark("bench-crypto", "LatchJOSE LatchCrypto LatchCore CMeasure Baselines", in: "Crypto"),
        benchmark("bench-generator", "", in: "Generator"),
        benchmark("bench-generate", "LatchInternals CMeasure", in: "Generator"),
        benchmark("compile-protos", "LatchInternals", in: "Generator"),
        // A link to the generated client of Examples/user-service.
        .target(
            name: "UserService", dependencies: dependencies("AxiomArchitecture"), path: "State/UserService",
            exclude: ["Documentation", "Tests"]),
        benchmark("bench-state", "UserService AxiomArchitecture LatchRPC CMeasure Baselines", in: "State"),
        benchmark("bench-codec", "LatchRPC LatchCore CMeasure", in: "RPC"),
        benchmark(
            "bench-calls", "LatchInternals LatchRPC LatchServer LatchHTTP LatchCore CMeasure Baselines", in: "RPC",
            excluding: ["Peers"]),
    ],
    swiftLanguageModes: [.v6]
)
