// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// The fuzz targets, a package of their own beside the library: Scripts/run-fuzz builds them with libFuzzer's flags. They
// are part of the project, so they see its `package` names, by its package name in place of their own; Linux only.

let parent = Context.packageDirectory.split(separator: "/").dropLast().last.map(String.init) ?? ""
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .unsafeFlags(["-package-name", String(parent.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })]),
]

/// A target without `main`, which libFuzzer brings.
func fuzz(_ name: String, _ products: String..., also targets: [String] = []) -> Target {
    .executableTarget(
        name: name,
        dependencies: (["FuzzDriver"] + targets).map { .byName(name: $0) }
            + products.map { .product(name: $0, package: "Latchwork") },
        path: name, packageAccess: false, swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])])
}

let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Latchwork", path: "..")],
    targets: [
        .target(name: "CFuzzShim", path: "CFuzzShim"),
        .target(name: "FuzzDriver", path: "FuzzDriver", packageAccess: false, swiftSettings: settings),
        fuzz("fuzz-json", "LatchCore"),
        fuzz("fuzz-message-json", "LatchRPC", "LatchInternals"),
        fuzz("fuzz-message-text", "LatchRPC", "LatchInternals"),
        fuzz("fuzz-proto", "LatchInternals"),
        fuzz("fuzz-generate", "LatchInternals"),
        fuzz("fuzz-message", "LatchRPC"),
        fuzz("fuzz-origin", "LatchHTTP"),
        fuzz("fuzz-pattern", "LatchInternals"),
        fuzz("fuzz-path", "LatchHTTP"),
        fuzz("fuzz-multipart", "LatchHTTP"),
        fuzz("fuzz-events", "LatchHTTP"),
        fuzz("fuzz-form", "LatchServer", "LatchHTTP"),
        fuzz("fuzz-authorize", "LatchIdentity", "LatchAuth", "LatchHTTP", "LatchTesting", "LatchFoundation"),
        fuzz("fuzz-base", "LatchCore"),
        fuzz("fuzz-password", "LatchCrypto"),
        fuzz("fuzz-secret-file", "LatchAuth", "LatchCrypto"),
        fuzz("fuzz-date", "LatchHTTP"),
        fuzz("fuzz-cookie", "LatchHTTP", "LatchCore"),
        fuzz("fuzz-email", "LatchIdentity"),
        fuzz("fuzz-app", "LatchIdentity"),
        fuzz("fuzz-client", "LatchIdentity", "LatchAuth", "LatchCore"),
        fuzz("fuzz-token", "LatchJOSE"),
        fuzz("fuzz-signed", "LatchIdentity", "LatchAuth", "LatchHTTP", "LatchJOSE", "LatchTesting", "LatchCore"),
        fuzz("fuzz-keys", "LatchJOSE", "LatchCore"),
        fuzz("fuzz-document", "LatchJOSE", "LatchCore"),
        fuzz("fuzz-pem", "LatchJOSE", "LatchCore"),
        fuzz("fuzz-cache", "LatchHTTP"),
        fuzz("fuzz-head", "LatchServer", "LatchHTTP"),
        fuzz("fuzz-content", "LatchServer"),
        fuzz("fuzz-server", "LatchIdentity", "LatchServer", "LatchRPC", "LatchTesting", also: ["CFuzzShim"]),
        fuzz("fuzz-structured-fields", "LatchHTTP"),
        fuzz("fuzz-link", "LatchHTTP"),
        fuzz("fuzz-challenge", "LatchHTTP"),
        fuzz("fuzz-token-response", "LatchOAuth", "LatchAuth", "LatchHTTP", "LatchCore"),
        fuzz("fuzz-retry-after", "LatchHTTP"),
    ],
    swiftLanguageModes: [.v6]
)
