// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Every target with the targets it builds on, which stand above it and bring along what they build on themselves.
// A name in lower case is a program. Benchmarks/ and Fuzz/ are packages of their own.
let layers: KeyValuePairs = [
    "Sources/Core/PortableFoundation": "",
    "Sources/Core/LatchCore": "PortableFoundation CTimer",
    "Sources/Core/LatchTexts": "LatchCore CTexts",
    "Sources/Core/LatchProcess": "LatchCore CSpawn",
    "Sources/Core/LatchTOML": "LatchCore",
    "Sources/Core/LatchCrypto": "LatchCore COpenSSL CCryptoShim CArgon2",
    "Sources/HTTP/LatchHTTP": "LatchCore CCurl CCurlShim CPSL CZlib",
    "Sources/RPC/LatchRegex": "LatchCore",
    "Sources/RPC/LatchProtobuf": "LatchRegex",
    "Sources/RPC/LatchRPC": "LatchProtobuf LatchHTTP",
    "Sources/RPC/LatchReflection": "LatchRPC",
    "Sources/RPC/LatchProtoCompiler": "",
    "Sources/RPC/LatchGenerator": "LatchProtoCompiler LatchRegex LatchTOML LatchProcess",
    "Sources/Sessions/LatchJOSE": "LatchCrypto",
    "Sources/Sessions/LatchAuth": "LatchHTTP LatchJOSE CSecret",
    "Sources/Sessions/LatchOAuth": "LatchAuth",
    "Sources/Sessions/LatchAccounts": "LatchOAuth",
    "Sources/Sessions/Latchwork": "LatchAccounts",
    "Sources/UI/LatchUI": "LatchTexts LatchAccounts",
    "Sources/Server/LatchServer": "LatchHTTP CTLSShim CEpoll CNGHTTP2",
    "Sources/Server/LatchSignIn": "LatchServer LatchOAuth LatchProcess",
    "Sources/Server/LatchPostgres": "LatchCore CPostgres",
    "Sources/Server/LatchWebAuthn": "LatchJOSE",
    "Sources/Server/LatchIdentity": "LatchSignIn LatchRPC LatchTexts LatchWebAuthn LatchPostgres CSQLite",
    "Sources/Compatibility/FoundationBridge": "LatchHTTP",
    "Sources/Compatibility/AuthPackage": "LatchAccounts",
    "Sources/Compatibility/AuthPackageUI": "AuthPackage LatchUI",
    "Sources/Compatibility/Nevod": "FoundationBridge LatchAuth",
    "Sources/Compatibility/JWTAuth": "FoundationBridge LatchAuth",
    "Sources/Compatibility/JWTAuthDependencies": "JWTAuth",
    "Sources/Compatibility/LaziOAuth": "LatchUI",
    "Sources/Compatibility/AxiomCore": "LatchRPC",
    "Sources/Compatibility/AxiomArchitecture": "AxiomCore",
    "Sources/Testing/LatchTesting": "LatchOAuth LatchServer",
    "Sources/Testing/LatchIdentityTesting": "LatchTesting LatchIdentity LatchAccounts",

    "Examples/user-service/Generated/swift:UserService": "AxiomArchitecture",
    "Examples/task-manager/Generated/swift:TaskManager": "AxiomArchitecture",
    "Examples/sign-in": "Latchwork",
    "Examples/user-service/UserAuthentication": "UserService LatchAccounts",
    "Examples/user-service/user-service": "UserAuthentication",
    "Examples/mcp-server/NoteTools": "LatchOAuth LatchServer",
    "Examples/mcp-server/mcp-server": "NoteTools",
    "Examples/first-app/FirstApp": "LatchUI",
    "Examples/sample-resource/SampleResource": "LatchAuth LatchServer",
    "Examples/notes-app/NotesApp": "LatchUI",
    "Examples/notes-app/NotesService": "LatchOAuth LatchServer",
    "Examples/notes-app/notes-server": "NotesService",

    "Sources/Commands/LatchCommand": "LatchCore",
    "Sources/Commands/GeneratorCommands": "LatchCommand LatchGenerator",
    "Sources/Commands/axiom-client-generator": "GeneratorCommands",
    "Sources/Commands/protoc-gen-latch": "LatchCommand LatchGenerator",
    "Sources/Commands/latch": "GeneratorCommands LatchUI LatchIdentity",
    "Sources/Commands/latch-demo":
        "LatchCommand LatchProcess AuthPackage JWTAuthDependencies LaziOAuth UserService SampleResource",

    "Tests/TestVectors": "LatchProcess",
    "Tests/TestTags": "",
    "Tests/TestSupport": "LatchTesting LatchProcess TestTags",
    "Tests/GeneratedModels": "LatchRPC",
    "Tests/GeneratedNames": "LatchRPC",
    "Tests/GeneratedTorture/swift:GeneratedTorture": "AxiomArchitecture",
    "Tests/generate-swift": "LatchGenerator",
    "Tests/SessionSimulation": "LatchTesting",
    "Tests/Nightly/simulate-session": "SessionSimulation",
    "Tests/Nightly/soak-session": "LatchAccounts LatchIdentity",
    "Tests/SessionHistories": "",
    "Tests/Nightly/check-histories": "SessionHistories LatchTesting LatchProcess",
    "Tests/ConformanceDriver/ConformanceTestee": "LatchRPC",
    "Tests/ConformanceDriver/conformance-driver": "ConformanceTestee",
    "Tests/ConnectConformanceDriver/ConnectConformance": "LatchRPC LatchServer",
    "Tests/ConnectConformanceDriver/connect-conformance-client": "ConnectConformance",
    "Tests/ConnectConformanceDriver/connect-conformance-server": "ConnectConformance",

    "Tests/SeedDocuments": "AuthPackageUI JWTAuthDependencies LaziOAuth UserAuthentication",

    "Tests/LatchCoreTests": "TestSupport LatchTOML",
    "Tests/LatchCryptoTests": "LatchCrypto TestTags TestVectors",
    "Tests/LatchHTTPTests": "TestSupport TestVectors",
    "Tests/LatchProtoCompilerTests": "LatchGenerator TestSupport",
    "Tests/LatchRegexTests": "LatchRegex",
    "Tests/LatchProtobufTests": "ConformanceTestee TestSupport TestVectors",
    "Tests/LatchRPCTests": "LatchReflection LatchProtoCompiler ConformanceTestee TestSupport TestVectors",
    "Tests/ConformanceTests": "LatchProtoCompiler conformance-driver TestVectors",
    "Tests/ConnectConformanceTests": "connect-conformance-client connect-conformance-server",
    "Tests/DifferentialTests": "GeneratedModels LatchProtoCompiler TestVectors",
    "Tests/RuleTests": "LatchGenerator LatchRPC TestSupport",
    "Tests/LatchGeneratorTests": "LatchGenerator TestTags",
    "Tests/LatchJOSETests": "LatchJOSE TestTags TestVectors",
    "Tests/LatchAuthTests": "SessionSimulation TestSupport TestVectors",
    "Tests/LatchOAuthTests": "LatchIdentity NoteTools TestSupport",
    "Tests/LatchAccountsTests": "LatchIdentityTesting TestSupport",
    "Tests/LatchUITests": "LatchUI LatchIdentityTesting TestSupport",
    "Tests/LatchServerTests": "TestSupport CNGHTTP2",
    "Tests/LatchPostgresTests": "LatchPostgres TestSupport",
    "Tests/LatchWebAuthnTests": "LatchWebAuthn TestSupport",
    "Tests/LatchIdentityTests": "LatchIdentity LatchGenerator AuthPackage SampleResource TestSupport TestVectors",
    "Tests/AuthPackageTests": "AuthPackage TestSupport",
    "Tests/AuthPackageUITests": "AuthPackageUI LatchIdentityTesting TestSupport",
    "Tests/NevodTests": "Nevod LatchIdentityTesting TestSupport",
    "Tests/JWTAuthTests": "JWTAuthDependencies LatchIdentityTesting TestSupport",
    "Tests/LaziOAuthTests": "LaziOAuth LatchIdentityTesting SampleResource TestSupport",
    "Tests/LatchTestingTests": "latch soak-session check-histories SessionSimulation TestSupport LatchIdentityTesting",
    "Tests/UserServiceExampleTests": "UserAuthentication LatchIdentity TestSupport",
    "Tests/NotesAppTests": "NotesApp NotesService LatchIdentityTesting TestSupport",
    "Tests/LatchTests": "latch latch-demo axiom-client-generator protoc-gen-latch TestSupport TestVectors",
    "Tests/GeneratedTests": "GeneratedModels GeneratedNames LatchGenerator LatchServer TestTags",
    "Tests/SeedTests": "latch SeedDocuments Nevod TestSupport TestVectors",
    "Tests/AxiomSeedTests": "UserService TestTags",
]

// The folders whose files are compiled into a target as bytes: small ones, since SwiftPM writes an array literal of them, whose
// compilation takes the square of their size.
let embedded = [
    "LatchProtoCompiler": ["WellKnown/Files"], "LatchGenerator": ["Plan/Protos", "Guides/Templates"],
    "GeneratorCommands": ["Examples/Protos"],
]

// The folders whose files are not compiled with their target. CTexts embeds the catalog.
let excluded = ["LatchReflection": ["Protos"], "LatchTexts": ["Catalog"]]

// The targets with a privacy manifest, which Apple's systems alone take (`Scripts/check-apple` says where one is needed).
let withPrivacyManifest: Set = ["LatchCore"]
let privacyManifest = "PrivacyInfo.xcprivacy"

// The C libraries that Apple's SDKs have too, or whose headers are here.
let portableLibraries: Set = ["CSQLite", "CZlib", "CPostgres", "CTexts"]

// Child processes exist on these platforms alone; what needs them is built for no other (`Scripts/check-apple`).
let platformsWithProcesses: [Platform] = [.linux, .macOS]

// Tests that need Linux's transport, its sockets or its CryptoKit for Swift's own collections. A Mac does not declare them,
// and `Scripts/check-apple` reads the manifest as a Mac does.
let testsOnLinux: Set = [
    "ConnectConformance", "connect-conformance-client", "connect-conformance-server", "ConnectConformanceTests",
    "LatchCryptoTests", "LatchHTTPTests", "LatchRPCTests", "LatchJOSETests", "LatchAuthTests", "LatchOAuthTests",
    "LatchAccountsTests", "LatchUITests", "LatchServerTests", "LatchPostgresTests", "LatchWebAuthnTests",
    "LatchIdentityTests", "NevodTests",
    "JWTAuthTests", "LaziOAuthTests",
    "LatchTestingTests", "NotesAppTests", "LatchTests", "SeedTests",
]
#if os(Linux)
let isOnLinux = Context.environment["LATCH_CHECK"] != "apple"
#else
let isOnLinux = false
#endif

let package = Package(
    name: "Latchwork",
    platforms: [.macOS(.v15), .iOS(.v18), .macCatalyst(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        "Latchwork", "LatchCore", "LatchHTTP", "LatchCrypto", "LatchJOSE", "LatchAuth", "LatchOAuth", "LatchAccounts",
        "LatchTexts", "LatchUI", "LatchServer", "LatchSignIn", "LatchIdentity", "LatchProtobuf", "LatchRPC",
        "LatchReflection", "LatchTesting", "LatchIdentityTesting", "AuthPackage", "AuthPackageUI", "AxiomArchitecture",
        "AxiomCore", "JWTAuth", "JWTAuthDependencies", "LaziOAuth", "Nevod",
    ].map { .library(name: $0, targets: [$0]) }
        + ["latch", "latch-demo", "axiom-client-generator", "protoc-gen-latch"].map {
            .executable(name: $0, targets: [$0])
        }
        + ["GenerateContracts", "GenerateClients"].map { .plugin(name: $0, targets: [$0]) }
        // For Benchmarks/ and Fuzz/, which are part of this project.
        + [.library(name: "LatchInternals", targets: ["LatchGenerator", "UserService", "ConformanceTestee"])],
    targets: [
        system("COpenSSL", "libcrypto", apt: "libssl-dev"),
        system("CTLS", "openssl", apt: "libssl-dev"),
        // Without pkg-config: CCurlShim loads the library with the first request, see CurlLibrary.c.
        system("CCurl", apt: "libcurl4-openssl-dev"),
        system("CSQLite", "sqlite3", apt: "libsqlite3-dev"),
        system("CArgon2", "libargon2", apt: "libargon2-dev"),
        system("CPSL", "libpsl", apt: "libpsl-dev"),
        system("CNGHTTP2", "libnghttp2", apt: "libnghttp2-dev"),
        // Without pkg-config: its header and its library are where every compiler looks, also in Apple's SDKs.
        system("CZlib", apt: "zlib1g-dev"),
        system("CEpoll"), system("CSpawn"), system("CTimer"),
        .target(name: "CCryptoShim", dependencies: dependencies(["COpenSSL"]), path: "Sources/C/CCryptoShim"),
        .target(name: "CCurlShim", dependencies: dependencies(["CCurl"]), path: "Sources/C/CCurlShim"),
        .target(name: "CTLSShim", dependencies: dependencies(["CTLS"]), path: "Sources/C/CTLSShim"),
        .target(name: "CSecret", path: "Sources/C/CSecret"),
        .target(name: "CPostgres", path: "Sources/C/CPostgres"),
        .target(name: "CTexts", path: "Sources/C/CTexts"),
    ] + swiftTargets() + [
        .plugin(
            name: "GenerateContracts", capability: .buildTool(), dependencies: ["axiom-client-generator"],
            path: "Plugins/GenerateContracts"),
        .plugin(
            name: "GenerateClients",
            capability: .command(
                intent: .custom(verb: "generate-clients", description: "generates Swift clients from .proto files"),
                permissions: [.writeToPackageDirectory(reason: "It writes the clients that it generates.")]),
            dependencies: ["axiom-client-generator"], path: "Plugins/GenerateClients"),
    ],
    swiftLanguageModes: [.v6]
)

func swiftTargets() -> [Target] {
    let strict: [SwiftSetting] = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
        .map { .enableUpcomingFeature($0) }
    var reached: [String: Set<String>] = [:]
    // LATCH_TESTS=LatchJOSETests,LatchAuthTests swift test builds only these test targets.
    let wantedTests = Context.environment["LATCH_TESTS"]?.split(separator: ",").map(String.init)
    return layers.flatMap { entry, needs -> [Target] in
        let parts = entry.split(separator: ":").map(String.init)
        let path = parts[0]
        let name = parts.last == path ? String(path.split(separator: "/").last ?? "") : parts[1]
        let direct = needs.split(separator: " ").map(String.init)
        let all = direct.reduce(into: Set(direct)) { all, need in all.formUnion(reached[need] ?? []) }
        reached[name] = all.filter { !isCLibrary($0) }
        guard isOnLinux || !testsOnLinux.contains(name) else { return [] }
        let needs = dependencies(all.sorted())
        if parts.count == 2 {
            // A client that the generator wrote, beside its guides and its tests; it compiles without a warning.
            let settings = strict + [.treatAllWarnings(as: .error)]
            let tests = "\(name)Tests"
            return [
                .target(
                    name: name, dependencies: needs, path: path,
                    exclude: path.hasPrefix("Tests/") ? ["Tests"] : ["Documentation", "Tests"],
                    swiftSettings: settings),
                .testTarget(
                    name: tests, dependencies: needs + dependencies([name]), path: "\(path)/Tests",
                    swiftSettings: settings),
            ].filter { $0.type != .test || wantedTests?.contains(tests) ?? true }
        }
        if path.hasPrefix("Tests/"), name.hasSuffix("Tests") {
            guard wantedTests?.contains(name) ?? true else { return [] }
            // Generated code, and the code of the documented systems, compile without our upcoming features too.
            let isPlain = ["GeneratedTests", "SeedTests", "AxiomSeedTests"].contains(name)
            return [.testTarget(name: name, dependencies: needs, path: path, swiftSettings: isPlain ? [] : strict)]
        }
        let hasManifest = withPrivacyManifest.contains(name)
        return name.first?.isLowercase == true
            ? [.executableTarget(name: name, dependencies: needs, path: path, swiftSettings: strict)]
            : [
                .target(
                    name: name, dependencies: needs, path: path,
                    exclude: excluded[name, default: []] + (isOnLinux && hasManifest ? [privacyManifest] : []),
                    resources: embedded[name, default: []].map { .embedInCode($0) }
                        + (!isOnLinux && hasManifest ? [.process(privacyManifest)] : []),
                    swiftSettings: strict)
            ]
    }
}

func isCLibrary(_ name: String) -> Bool { name.wholeMatch(of: /C[A-Z].*/) != nil }

func dependencies(_ names: [String]) -> [Target.Dependency] {
    names.map { .target(name: $0, condition: condition(of: $0)) }
}

/// C libraries are used on Linux only, except for the portable ones.
func condition(of name: String) -> TargetDependencyCondition? {
    if isCLibrary(name), !portableLibraries.contains(name) { return .when(platforms: [.linux]) }
    return name == "LatchProcess" ? .when(platforms: platformsWithProcesses) : nil
}

/// A library of the system: a module map and a header, found by pkg-config.
func system(_ name: String, _ pkgConfig: String? = nil, apt: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "Sources/C/\(name)", pkgConfig: pkgConfig, providers: apt.map { [.apt([$0])] } ?? [])
}
