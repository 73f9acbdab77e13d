// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

#if os(Linux)
// `Scripts/check-apple` sets LATCH_CHECK to read the manifest as it is on a Mac.
let isOnLinux = Context.environment["LATCH_CHECK"] != "apple"
#else
let isOnLinux = false
#endif

// The settings of handwritten code. Generated code and the compatible libraries also compile without these features.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
// Generated clients, with their guides and tests, compile without warnings.
let generated = strict + [.treatAllWarnings(as: .error)]

// Child processes exist only on these platforms.
let processes = Target.Dependency.target(name: "LatchProcess", condition: .when(platforms: [.linux, .macOS]))

/// A C library that Apple's SDKs do not have.
func linux(_ name: String) -> Target.Dependency { .target(name: name, condition: .when(platforms: [.linux])) }

/// A library of the system: a module map and a header, found by pkg-config.
func system(_ name: String, _ pkgConfig: String? = nil, apt: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "Sources/C/\(name)", pkgConfig: pkgConfig, providers: apt.map { [.apt([$0])] } ?? [])
}

// A target depends only on targets declared earlier, and can import their dependencies. Embedded folders are small: SwiftPM
// writes their bytes as an array literal, and its compilation time is quadratic in its size. Benchmarks/ and Fuzz/ are
// separate packages.
let package = Package(
    name: "Latchwork",
    platforms: [.macOS(.v15), .iOS(.v18), .macCatalyst(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Latchwork", targets: ["Latchwork"]),
        .library(name: "LatchCore", targets: ["LatchCore"]),
        .library(name: "LatchHTTP", targets: ["LatchHTTP"]),
        .library(name: "LatchCrypto", targets: ["LatchCrypto"]),
        .library(name: "LatchJOSE", targets: ["LatchJOSE"]),
        .library(name: "LatchAuth", targets: ["LatchAuth"]),
        .library(name: "LatchOAuth", targets: ["LatchOAuth"]),
        .library(name: "LatchAccounts", targets: ["LatchAccounts"]),
        .library(name: "LatchTexts", targets: ["LatchTexts"]),
        .library(name: "LatchUI", targets: ["LatchUI"]),
        .library(name: "LatchServer", targets: ["LatchServer"]),
        .library(name: "LatchSignIn", targets: ["LatchSignIn"]),
        .library(
            name: "LatchIdentity",
            targets: [
                "LatchIdentity", "LatchIdentityStorage", "LatchIdentityAccounts", "LatchIdentityProvider",
                "LatchIdentityPages",
            ]),
        .library(name: "LatchProtobuf", targets: ["LatchProtobuf"]),
        .library(name: "LatchRPC", targets: ["LatchRPC"]),
        .library(name: "LatchReflection", targets: ["LatchReflection"]),
        .library(name: "LatchTesting", targets: ["LatchTesting"]),
        .library(name: "LatchIdentityTesting", targets: ["LatchIdentityTesting"]),
        .library(name: "AuthPackage", targets: ["AuthPackage"]),
        .library(name: "AuthPackageUI", targets: ["AuthPackageUI"]),
        .library(name: "AxiomArchitecture", targets: ["AxiomArchitecture"]),
        .library(name: "AxiomCore", targets: ["AxiomCore"]),
        .library(name: "JWTAuth", targets: ["JWTAuth"]),
        .library(name: "JWTAuthDependencies", targets: ["JWTAuthDependencies"]),
        .library(name: "LaziOAuth", targets: ["LaziOAuth"]),
        .library(name: "Nevod", targets: ["Nevod"]),
        .executable(name: "latch", targets: ["latch"]),
        .executable(name: "axiom-client-generator", targets: ["axiom-client-generator"]),
        .executable(name: "protoc-gen-latch", targets: ["protoc-gen-latch"]),
        .plugin(name: "GenerateContracts", targets: ["GenerateContracts"]),
        .plugin(name: "GenerateClients", targets: ["GenerateClients"]),
        // For Benchmarks/ and Fuzz/, which are part of this project.
        .library(name: "LatchInternals", targets: ["LatchGenerator", "LatchConformanceTestee"]),
    ],
    targets: [
        // C libraries
        system("CLatchOpenSSL", "libcrypto", apt: "libssl-dev"),
        system("CLatchTLS", "openssl", apt: "libssl-dev"),
        // Without pkg-config: CLatchCurlShim loads the library for the first request, see CurlLibrary.c.
        system("CLatchCurl", apt: "libcurl4-openssl-dev"),
        system("CLatchSQLite", "sqlite3", apt: "libsqlite3-dev"),
        system("CLatchArgon2", "libargon2", apt: "libargon2-dev"),
        system("CLatchCrypt", "libcrypt", apt: "libcrypt-dev"),
        system("CLatchPSL", "libpsl", apt: "libpsl-dev"),
        system("CLatchNGHTTP2", "libnghttp2", apt: "libnghttp2-dev"),
        // Without pkg-config: every compiler finds its header and library, also in Apple's SDKs.
        system("CLatchZlib", apt: "zlib1g-dev"),
        system("CLatchEpoll"), system("CLatchSpawn"), system("CLatchTimer"),
        .target(name: "CLatchCryptoShim", dependencies: [linux("CLatchOpenSSL")], path: "Sources/C/CLatchCryptoShim"),
        .target(name: "CLatchCurlShim", dependencies: [linux("CLatchCurl")], path: "Sources/C/CLatchCurlShim"),
        .target(name: "CLatchTLSShim", dependencies: [linux("CLatchTLS")], path: "Sources/C/CLatchTLSShim"),
        .target(name: "CLatchSecret", path: "Sources/C/CLatchSecret"),
        .target(name: "CLatchPostgres", path: "Sources/C/CLatchPostgres"),
        .target(name: "CLatchTexts", path: "Sources/C/CLatchTexts"),

        // Core
        .target(name: "LatchFoundation", path: "Sources/Core/LatchFoundation"),
        .target(
            name: "LatchCore", dependencies: ["LatchFoundation", linux("CLatchTimer")], path: "Sources/Core/LatchCore",
            exclude: isOnLinux ? ["PrivacyInfo.xcprivacy"] : [],
            resources: isOnLinux ? [] : [.process("PrivacyInfo.xcprivacy")]),
        .target(
            name: "LatchTexts", dependencies: ["LatchCore", "CLatchTexts"], path: "Sources/Core/LatchTexts",
            exclude: ["Catalog"]),
        .target(
            name: "LatchProcess", dependencies: ["LatchCore", linux("CLatchSpawn")], path: "Sources/Core/LatchProcess"),
        .target(name: "LatchTOML", dependencies: ["LatchCore"], path: "Sources/Core/LatchTOML"),
        .target(
            name: "LatchCrypto",
            dependencies: ["LatchCore", linux("CLatchOpenSSL"), linux("CLatchCryptoShim"), linux("CLatchArgon2")],
            path: "Sources/Core/LatchCrypto"),

        // HTTP
        .target(
            name: "LatchHTTP",
            dependencies: [
                "LatchCore", linux("CLatchCurl"), linux("CLatchCurlShim"), linux("CLatchPSL"), "CLatchZlib",
            ],
            path: "Sources/HTTP/LatchHTTP"),

        // Protocol Buffers and RPC
        .target(name: "LatchRegex", dependencies: ["LatchCore"], path: "Sources/RPC/LatchRegex"),
        .target(name: "LatchProtobuf", dependencies: ["LatchRegex"], path: "Sources/RPC/LatchProtobuf"),
        .target(name: "LatchRPC", dependencies: ["LatchProtobuf", "LatchHTTP"], path: "Sources/RPC/LatchRPC"),
        .target(
            name: "LatchReflection", dependencies: ["LatchRPC"], path: "Sources/RPC/LatchReflection",
            exclude: ["Protos"]),
        .target(
            name: "LatchProtoCompiler", path: "Sources/RPC/LatchProtoCompiler",
            resources: [.embedInCode("WellKnown/Files")]),
        .target(
            name: "LatchGenerator",
            dependencies: ["LatchProtoCompiler", "LatchRegex", "LatchTOML", "LatchCrypto", processes],
            path: "Sources/RPC/LatchGenerator",
            resources: [.embedInCode("Plan/Protos"), .embedInCode("Guides/Templates")]),

        // Sessions
        .target(name: "LatchJOSE", dependencies: ["LatchCrypto"], path: "Sources/Sessions/LatchJOSE"),
        .target(
            name: "LatchAuth", dependencies: ["LatchHTTP", "LatchJOSE", linux("CLatchSecret")],
            path: "Sources/Sessions/LatchAuth"),
        .target(name: "LatchOAuth", dependencies: ["LatchAuth"], path: "Sources/Sessions/LatchOAuth"),
        .target(name: "LatchAccounts", dependencies: ["LatchOAuth"], path: "Sources/Sessions/LatchAccounts"),
        .target(name: "Latchwork", dependencies: ["LatchAccounts"], path: "Sources/Sessions/Latchwork"),

        // Screens
        .target(name: "LatchUI", dependencies: ["LatchTexts", "LatchAccounts"], path: "Sources/UI/LatchUI"),

        // Server
        .target(
            name: "LatchServer",
            dependencies: ["LatchHTTP", linux("CLatchTLSShim"), linux("CLatchEpoll"), linux("CLatchNGHTTP2")],
            path: "Sources/Server/LatchServer"),
        .target(
            name: "LatchSignIn", dependencies: ["LatchServer", "LatchOAuth", processes],
            path: "Sources/Server/LatchSignIn"),
        .target(
            name: "LatchPostgres", dependencies: ["LatchCore", "CLatchPostgres"], path: "Sources/Server/LatchPostgres"),
        .target(name: "LatchWebAuthn", dependencies: ["LatchJOSE"], path: "Sources/Server/LatchWebAuthn"),
        .target(
            name: "LatchIdentityStorage",
            dependencies: [
                "LatchServer", "LatchRPC", "LatchTexts", "LatchWebAuthn", "LatchAuth", "LatchPostgres", "CLatchSQLite",
            ],
            path: "Sources/Server/LatchIdentity/LatchIdentityStorage"),
        .target(
            name: "LatchIdentityAccounts",
            dependencies: ["LatchIdentityStorage", "LatchSignIn", linux("CLatchCrypt")],
            path: "Sources/Server/LatchIdentity/LatchIdentityAccounts"),
        .target(
            name: "LatchIdentityProvider", dependencies: ["LatchIdentityAccounts"],
            path: "Sources/Server/LatchIdentity/LatchIdentityProvider"),
        .target(
            name: "LatchIdentityPages", dependencies: ["LatchIdentityProvider"],
            path: "Sources/Server/LatchIdentity/LatchIdentityPages"),
        .target(
            name: "LatchIdentity", dependencies: ["LatchIdentityPages"],
            path: "Sources/Server/LatchIdentity/LatchIdentity"),

        // The documented systems
        .target(
            name: "LatchFoundationBridge", dependencies: ["LatchHTTP"],
            path: "Sources/Compatibility/LatchFoundationBridge"),
        .target(name: "AuthPackage", dependencies: ["LatchAccounts"], path: "Sources/Compatibility/AuthPackage"),
        .target(
            name: "AuthPackageUI", dependencies: ["AuthPackage", "LatchUI"],
            path: "Sources/Compatibility/AuthPackageUI"),
        .target(
            name: "Nevod", dependencies: ["LatchFoundationBridge", "LatchAuth"], path: "Sources/Compatibility/Nevod"),
        .target(
            name: "JWTAuth", dependencies: ["LatchFoundationBridge", "LatchAuth"], path: "Sources/Compatibility/JWTAuth"
        ),
        .target(
            name: "JWTAuthDependencies", dependencies: ["JWTAuth"], path: "Sources/Compatibility/JWTAuthDependencies"),
        .target(name: "LaziOAuth", dependencies: ["LatchUI"], path: "Sources/Compatibility/LaziOAuth"),
        .target(name: "AxiomCore", dependencies: ["LatchRPC"], path: "Sources/Compatibility/AxiomCore"),
        .target(
            name: "AxiomArchitecture", dependencies: ["AxiomCore"], path: "Sources/Compatibility/AxiomArchitecture"),

        // For the tests of apps
        .target(
            name: "LatchTesting", dependencies: ["LatchOAuth", "LatchServer"], path: "Sources/Testing/LatchTesting"),
        .target(
            name: "LatchIdentityTesting", dependencies: ["LatchIdentity", "LatchTesting", "LatchAccounts"],
            path: "Sources/Testing/LatchIdentityTesting"),

        // Examples
        .target(
            name: "UserService", dependencies: ["AxiomArchitecture"], path: "Examples/user-service/Generated/swift",
            exclude: ["Documentation", "Tests"], swiftSettings: generated),
        .testTarget(
            name: "UserServiceTests", dependencies: ["UserService"],
            path: "Examples/user-service/Generated/swift/Tests", swiftSettings: generated),
        .target(
            name: "TaskManager", dependencies: ["AxiomArchitecture"], path: "Examples/task-manager/Generated/swift",
            exclude: ["Documentation", "Tests"], swiftSettings: generated),
        .testTarget(
            name: "TaskManagerTests", dependencies: ["TaskManager"],
            path: "Examples/task-manager/Generated/swift/Tests", swiftSettings: generated),
        .executableTarget(name: "sign-in", dependencies: ["Latchwork"], path: "Examples/sign-in"),
        .target(
            name: "UserAuthentication", dependencies: ["UserService", "LatchAccounts"],
            path: "Examples/user-service/UserAuthentication"),
        .executableTarget(
            name: "user-service", dependencies: ["UserAuthentication"], path: "Examples/user-service/user-service"),
        .target(name: "NoteTools", dependencies: ["LatchOAuth", "LatchServer"], path: "Examples/mcp-server/NoteTools"),
        .executableTarget(name: "mcp-server", dependencies: ["NoteTools"], path: "Examples/mcp-server/mcp-server"),
        .target(name: "FirstApp", dependencies: ["LatchUI"], path: "Examples/first-app/FirstApp"),
        .target(
            name: "SampleResource", dependencies: ["LatchAuth", "LatchServer"],
            path: "Examples/sample-resource/SampleResource"),
        .target(name: "NotesApp", dependencies: ["LatchUI"], path: "Examples/notes-app/NotesApp"),
        .target(
            name: "NotesService", dependencies: ["LatchOAuth", "LatchServer"], path: "Examples/notes-app/NotesService"),
        .executableTarget(
            name: "notes-server", dependencies: ["NotesService"], path: "Examples/notes-app/notes-server"),

        // Programs
        .target(name: "LatchCommand", dependencies: ["LatchCore"], path: "Sources/Commands/LatchCommand"),
        .target(
            name: "LatchGeneratorCommands", dependencies: ["LatchCommand", "LatchGenerator"],
            path: "Sources/Commands/LatchGeneratorCommands", resources: [.embedInCode("Examples/Protos")]),
        .executableTarget(
            name: "axiom-client-generator", dependencies: ["LatchGeneratorCommands"],
            path: "Sources/Commands/axiom-client-generator"),
        .executableTarget(
            name: "protoc-gen-latch", dependencies: ["LatchCommand", "LatchGenerator"],
            path: "Sources/Commands/protoc-gen-latch"),
        .executableTarget(
            name: "latch", dependencies: ["LatchIdentity", "LatchGeneratorCommands", "LatchUI"],
            path: "Sources/Commands/latch"),
        .executableTarget(
            name: "latch-demo",
            dependencies: [
                "LatchCommand", "AuthPackage", "JWTAuthDependencies", "LaziOAuth", "UserService",
                "SampleResource", "LatchIdentityTesting",
            ],
            path: "Sources/Commands/latch-demo"),

        // Tests
        .target(name: "TestVectors", dependencies: [processes], path: "Tests/TestVectors"),
        .target(name: "TestTags", path: "Tests/TestTags"),
        .target(name: "Expectations", path: "Tests/Expectations"),
        .target(
            name: "TestSupport", dependencies: ["LatchTesting", processes, "TestTags", "Expectations"],
            path: "Tests/TestSupport"),
        .target(name: "GeneratedModels", dependencies: ["LatchRPC"], path: "Tests/GeneratedModels"),
        .target(name: "GeneratedNames", dependencies: ["LatchRPC"], path: "Tests/GeneratedNames"),
        .executableTarget(name: "generate-swift", dependencies: ["LatchGenerator"], path: "Tests/generate-swift"),
        .target(name: "SessionSimulation", dependencies: ["LatchTesting"], path: "Tests/SessionSimulation"),
        .executableTarget(
            name: "simulate-session", dependencies: ["SessionSimulation"], path: "Tests/Nightly/simulate-session"),
        .executableTarget(
            name: "soak-session", dependencies: ["LatchIdentity", "LatchAccounts"], path: "Tests/Nightly/soak-session"),
        .target(name: "SessionHistories", path: "Tests/SessionHistories"),
        .executableTarget(
            name: "check-histories", dependencies: ["SessionHistories", "LatchTesting", processes],
            path: "Tests/Nightly/check-histories"),
        .target(
            name: "LatchConformanceTestee", dependencies: ["LatchRPC"],
            path: "Tests/ConformanceDriver/LatchConformanceTestee"),
        .executableTarget(
            name: "conformance-driver", dependencies: ["LatchConformanceTestee"],
            path: "Tests/ConformanceDriver/conformance-driver"),
        .target(
            name: "ConnectConformance", dependencies: ["LatchRPC", "LatchServer"],
            path: "Tests/ConnectConformanceDriver/ConnectConformance"),
        .executableTarget(
            name: "connect-conformance-client", dependencies: ["ConnectConformance"],
            path: "Tests/ConnectConformanceDriver/connect-conformance-client"),
        .executableTarget(
            name: "connect-conformance-server", dependencies: ["ConnectConformance"],
            path: "Tests/ConnectConformanceDriver/connect-conformance-server"),
        .target(
            name: "SeedDocuments",
            dependencies: ["AuthPackageUI", "JWTAuthDependencies", "LaziOAuth", "UserAuthentication"],
            path: "Tests/SeedDocuments"),
        .testTarget(name: "LatchCoreTests", dependencies: ["TestSupport", "LatchTOML"]),
        .testTarget(
            name: "LatchCryptoTests", dependencies: ["LatchCrypto", "TestTags", "Expectations", "TestVectors"]),
        .testTarget(name: "LatchHTTPTests", dependencies: ["TestSupport", "TestVectors"]),
        .testTarget(name: "LatchProtoCompilerTests", dependencies: ["LatchGenerator", "TestSupport"]),
        .testTarget(name: "LatchRegexTests", dependencies: ["LatchRegex", "Expectations"]),
        .testTarget(
            name: "LatchProtobufTests", dependencies: ["LatchConformanceTestee", "TestSupport", "TestVectors"]),
        .testTarget(
            name: "LatchRPCTests",
            dependencies: [
                "LatchReflection", "LatchProtoCompiler", "LatchConformanceTestee", "TestSupport", "TestVectors",
            ]),
        .testTarget(
            name: "ConformanceTests",
            dependencies: ["LatchProtoCompiler", "conformance-driver", "Expectations", "TestVectors"]),
        .testTarget(
            name: "ConnectConformanceTests",
            dependencies: ["connect-conformance-client", "connect-conformance-server", "Expectations"]),
        .testTarget(
            name: "DifferentialTests",
            dependencies: ["GeneratedModels", "LatchProtoCompiler", "Expectations", "TestVectors"]),
        .testTarget(name: "RuleTests", dependencies: ["LatchGenerator", "LatchRPC", "TestSupport"]),
        .testTarget(name: "LatchGeneratorTests", dependencies: ["LatchGenerator", "TestTags", "Expectations"]),
        .testTarget(
            name: "LatchJOSETests", dependencies: ["LatchJOSE", "TestTags", "Expectations", "TestVectors"]),
        .testTarget(name: "LatchAuthTests", dependencies: ["SessionSimulation", "TestSupport", "TestVectors"]),
        .testTarget(name: "LatchOAuthTests", dependencies: ["LatchIdentity", "NoteTools", "TestSupport"]),
        .testTarget(
            name: "LatchAccountsTests", dependencies: ["LatchIdentityTesting", "TestSupport"]),
        .testTarget(
            name: "LatchUITests", dependencies: ["LatchUI", "LatchIdentityTesting", "TestSupport"]),
        .testTarget(name: "LatchServerTests", dependencies: ["TestSupport", linux("CLatchNGHTTP2")]),
        .testTarget(name: "LatchPostgresTests", dependencies: ["LatchPostgres", "TestSupport"]),
        .testTarget(name: "LatchWebAuthnTests", dependencies: ["LatchWebAuthn", "TestSupport"]),
        .target(
            name: "IdentityTestSupport", dependencies: ["LatchIdentity", "SampleResource", "TestSupport"],
            path: "Tests/IdentityTestSupport"),
        .testTarget(name: "LatchIdentityStorageTests", dependencies: ["IdentityTestSupport", "TestVectors"]),
        .testTarget(
            name: "LatchIdentityProviderTests", dependencies: ["AuthPackage", "IdentityTestSupport", "TestVectors"]),
        .testTarget(
            name: "LatchIdentityTests", dependencies: ["LatchGenerator", "IdentityTestSupport", "TestVectors"]),
        .testTarget(name: "AuthPackageTests", dependencies: ["AuthPackage", "TestSupport"]),
        .testTarget(
            name: "AuthPackageUITests", dependencies: ["AuthPackageUI", "LatchIdentityTesting", "TestSupport"]),
        .testTarget(name: "NevodTests", dependencies: ["Nevod", "LatchIdentityTesting", "TestSupport"]),
        .testTarget(
            name: "JWTAuthTests", dependencies: ["JWTAuthDependencies", "LatchIdentityTesting", "TestSupport"]),
        .testTarget(
            name: "LaziOAuthTests",
            dependencies: ["LaziOAuth", "LatchIdentityTesting", "SampleResource", "TestSupport"]),
        .testTarget(
            name: "LatchTestingTests",
            dependencies: [
                "latch", "soak-session", "check-histories", "SessionSimulation", "TestSupport", "LatchIdentityTesting",
            ]),
        .testTarget(
            name: "UserServiceExampleTests", dependencies: ["LatchIdentity", "UserAuthentication", "TestSupport"]),
        .testTarget(
            name: "NotesAppTests",
            dependencies: ["NotesApp", "NotesService", "LatchIdentityTesting", "TestSupport"]),
        .testTarget(
            name: "LatchTests",
            dependencies: [
                "latch", "latch-demo", "axiom-client-generator", "protoc-gen-latch", "TestSupport", "TestVectors",
            ]),
        .testTarget(
            name: "GeneratedTests",
            dependencies: [
                "GeneratedModels", "GeneratedNames", "LatchGenerator", "LatchServer", "TestTags", "Expectations",
            ],
            swiftSettings: []),
        .testTarget(
            name: "SeedTests", dependencies: ["latch", "SeedDocuments", "Nevod", "TestSupport", "TestVectors"],
            swiftSettings: []),
        .testTarget(
            name: "AxiomSeedTests", dependencies: ["UserService", "TestTags", "Expectations"], swiftSettings: []),

        .plugin(
            name: "GenerateContracts", capability: .buildTool(), dependencies: ["axiom-client-generator"]),
        .plugin(
            name: "GenerateClients",
            capability: .command(
                intent: .custom(verb: "generate-clients", description: "generates Swift clients from .proto files"),
                permissions: [.writeToPackageDirectory(reason: "It writes the clients that it generates.")]),
            dependencies: ["axiom-client-generator"]),
    ],
    swiftLanguageModes: [.v6]
)

// Tests of the Linux transport, of its sockets, or of CryptoKit on Linux for Swift's own collections.
let testsOnLinux: Set = [
    "ConnectConformance", "connect-conformance-client", "connect-conformance-server", "ConnectConformanceTests",
    "LatchCryptoTests", "LatchHTTPTests", "LatchRPCTests", "LatchJOSETests", "LatchAuthTests", "LatchOAuthTests",
    "LatchAccountsTests", "LatchUITests", "LatchServerTests", "LatchPostgresTests", "LatchWebAuthnTests",
    "IdentityTestSupport", "LatchIdentityStorageTests", "LatchIdentityProviderTests", "LatchIdentityTests",
    "NevodTests", "JWTAuthTests", "LaziOAuthTests", "LatchTestingTests", "NotesAppTests",
    "LatchTests", "SeedTests",
]
for target in package.targets where target.swiftSettings == nil && ![.plugin, .system].contains(target.type) {
    target.swiftSettings = strict
}
if !isOnLinux { package.targets.removeAll { testsOnLinux.contains($0.name) } }

// SwiftPM compiles the tool of a plugin and the modules that it needs a second time. `LATCH_PLUGINS=none` builds without.
if Context.environment["LATCH_PLUGINS"] == "none" {
    package.products.removeAll { $0 is Product.Plugin }
    package.targets.removeAll { $0.type == .plugin }
}

// `LATCH_TESTS=LatchJOSETests,LatchAuthTests swift test` builds only these test targets.
if let wanted = Context.environment["LATCH_TESTS"]?.split(separator: ",") {
    package.targets.removeAll { $0.type == .test && !wanted.contains(Substring($0.name)) }
}

// SwiftPM compiles a target again after a change in the targets that it names, but not in those that they need. Values of a
// changed type would keep their old layout there. So each target names all that it reaches; checks read what is written above.
if Context.environment["LATCH_CHECK"] == nil {
    let needs = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0.dependencies) })
    func reach(
        _ all: inout [String: TargetDependencyCondition?], from needed: [Target.Dependency]?,
        _ outer: TargetDependencyCondition?
    ) {
        for need in needed ?? [] {
            guard let (name, own) = need.named else { continue }
            // One way without a condition is enough.
            if let known = all[name], known == nil || own ?? outer != nil { continue }
            all[name] = .some(own ?? outer)
            reach(&all, from: needs[name], own ?? outer)
        }
    }
    for target in package.targets where target.type != .plugin {
        var all: [String: TargetDependencyCondition?] = [:]
        reach(&all, from: target.dependencies, nil)
        target.dependencies = all.sorted { $0.key < $1.key }.map { .target(name: $0.key, condition: $0.value) }
    }
}

extension Target.Dependency {
    /// The name and the condition, however they are written.
    fileprivate var named: (String, TargetDependencyCondition?)? {
        switch self {
        case .targetItem(let name, let condition), .byNameItem(let name, let condition): (name, condition)
        default: nil
        }
    }
}
