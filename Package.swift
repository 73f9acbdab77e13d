// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Every public module is a product. Arrows point down only: Scripts/check-layers holds the picture against this file.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A C library of the system: a module map and a header, found by pkg-config.
func system(_ name: String, pkgConfig: String? = nil, apt: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "Sources/C/\(name)", pkgConfig: pkgConfig, providers: apt.map { [.apt([$0])] } ?? [])
}

/// C of our own: over a library that is linked, or over one that is loaded when it is first needed.
func shim(_ name: String, over library: String? = nil) -> Target {
    .target(name: name, dependencies: library.map { [onLinux($0)] } ?? [], path: "Sources/C/\(name)")
}

func module(
    _ name: String, path: String? = nil, needs: [Target.Dependency] = [], leavingOut: [String] = []
) -> Target {
    .target(
        name: name, dependencies: needs, path: path ?? "Sources/\(name)", exclude: leavingOut, swiftSettings: strict)
}

func tests(_ name: String, needs: [Target.Dependency], settings: [SwiftSetting] = strict) -> Target {
    .testTarget(name: name, dependencies: needs, path: "Tests/\(name)", swiftSettings: settings)
}

func program(_ name: String, path: String, needs: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: needs, path: path, swiftSettings: strict)
}

/// A client that the generator wrote, with its contracts; its tests and guides lie beside it.
func generated(
    _ name: String, path: String, excluding: [String] = ["Documentation", "Tests"], settings: [SwiftSetting] = strict
) -> Target {
    .target(
        name: name, dependencies: ["AxiomArchitecture", "AxiomCore", "LatchRPC"], path: path,
        exclude: excluding, swiftSettings: settings)
}

/// The tests that the generator wrote for it.
func generatedTests(_ name: String, path: String, settings: [SwiftSetting] = strict) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.target(name: name), "AxiomArchitecture", "AxiomCore", "LatchRPC"],
        path: "\(path)/Tests", swiftSettings: settings)
}

/// For what must compile without a warning.
let unwarned = strict + [SwiftSetting.treatAllWarnings(as: .error)]

func onLinux(_ name: String) -> Target.Dependency { .target(name: name, condition: linux) }

let linux: TargetDependencyCondition? = .when(platforms: [.linux])

let modules = [
    "LatchCore", "LatchHTTP", "LatchCrypto", "LatchServer", "LatchJOSE", "LatchAuth", "LatchAccounts",
    "LatchGenerator", "LatchIdentity", "LatchOAuth", "LatchProto", "LatchRPC", "LatchReflection", "LatchTesting",
    "Latchwork",
    "AuthPackage",
    "AxiomArchitecture", "AxiomCore", "JWTAuth", "LaziOAuth", "Nevod",
]

let package = Package(
    name: "Latchwork",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: modules.map { .library(name: $0, targets: [$0]) } + [
        .executable(name: "latch", targets: ["latch"]),
        .executable(name: "axiom-client-generator", targets: ["axiom-client-generator"]),
        .executable(name: "protoc-gen-latch", targets: ["protoc-gen-latch"]),
        .plugin(name: "GenerateContracts", targets: ["GenerateContracts"]),
        .plugin(name: "GenerateClients", targets: ["GenerateClients"]),
    ],
    targets: [
        // 0 · system libraries
        system("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev"),
        system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
        system("CMicroHTTPD", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
        system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        system("CArgon2", pkgConfig: "libargon2", apt: "libargon2-dev"),
        system("CTLS", pkgConfig: "openssl", apt: "libssl-dev"),
        system("CPSL", pkgConfig: "libpsl", apt: "libpsl-dev"),
        system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        system("CEpoll"),
        system("CSpawn"),
        system("CTimer"),
        shim("CCurlShim", over: "CCurl"),
        shim("CTLSShim", over: "CTLS"),
        shim("CSecret"),

        // 0 · values and messages
        module("LatchCore", needs: [onLinux("CSpawn"), onLinux("CTimer")]),
        module("LatchProto"),
        module("LatchHTTP", needs: ["LatchCore", onLinux("CCurl"), onLinux("CCurlShim"), onLinux("CPSL")]),

        // 1 · engines
        module("LatchCrypto", needs: ["LatchCore", onLinux("COpenSSL"), onLinux("CArgon2")]),
        module("LatchServer", needs: ["LatchHTTP", "LatchCore", onLinux("CTLSShim"), onLinux("CEpoll")]),

        module("LatchRPC", needs: ["LatchHTTP", "LatchCore", onLinux("CZlib")]),
        module("LatchGenerator", needs: ["LatchProto", "LatchCore"]),

        // 2 · tokens as text, and what services tell of themselves
        module("LatchJOSE", needs: ["LatchCrypto", "LatchCore"]),
        module("LatchReflection", needs: ["LatchRPC", "LatchCore"], leavingOut: ["Protos"]),

        // 3 · the session
        module("LatchAuth", needs: ["LatchHTTP", "LatchJOSE", "LatchCrypto", "LatchCore", onLinux("CSecret")]),

        // 4 · how tokens are obtained
        module("LatchOAuth", needs: ["LatchAuth", "LatchHTTP", "LatchCore"]),

        // 5 · accounts, the server behind them, and what tests need
        module("LatchAccounts", needs: ["LatchOAuth", "LatchAuth", "LatchHTTP", "LatchJOSE", "LatchCore"]),
        module(
            "LatchIdentity",
            needs: [
                "LatchServer", "LatchAuth", "LatchHTTP", "LatchRPC", "LatchJOSE", "LatchCrypto", "LatchCore",
                "CSQLite",
            ]),
        module("LatchTesting", needs: ["LatchAuth", "LatchHTTP", "LatchServer", "LatchCore"]),

        // 5 · Foundation's messages, for the facades that show them
        module("LatchFoundation", path: "Sources/Facades/Foundation", needs: ["LatchHTTP", "LatchCore"]),

        // 5 · what clients of seed 000's shape throw
        module("AxiomCore", path: "Sources/Facades/AxiomCore", needs: ["LatchRPC"]),

        // 6 · one import, and the seeds' names
        module(
            "Latchwork", needs: ["LatchHTTP", "LatchJOSE", "LatchAuth", "LatchOAuth", "LatchAccounts", "LatchCore"]),
        module(
            "AuthPackage", path: "Sources/Facades/AuthPackage",
            needs: ["LatchAccounts", "LatchAuth", "LatchHTTP", "LatchJOSE", "LatchCore"]),

        module(
            "Nevod", path: "Sources/Facades/Nevod",
            needs: ["LatchFoundation", "LatchAuth", "LatchHTTP", "LatchCore"]),
        module(
            "JWTAuth", path: "Sources/Facades/JWTAuth",
            needs: ["LatchFoundation", "LatchAuth", "LatchHTTP", "LatchJOSE", "LatchCore"]),
        module(
            "LaziOAuth", path: "Sources/Facades/LaziOAuth",
            needs: ["LatchOAuth", "LatchAuth", "LatchHTTP", "LatchJOSE", "LatchCore"]),

        module("AxiomArchitecture", path: "Sources/Facades/AxiomArchitecture", needs: ["AxiomCore", "LatchRPC"]),

        // 6 · what every command line is made of
        module("LatchCommand", needs: ["LatchCore"]),

        // 7 · what two commands have in common
        module("GeneratorVerbs", needs: ["LatchCommand", "LatchGenerator", "LatchProto", "LatchCore"]),

        // 8 · the commands
        program(
            "axiom-client-generator", path: "Sources/axiom-client-generator",
            needs: ["GeneratorVerbs", "LatchCommand"]),
        program("protoc-gen-latch", path: "Sources/protoc-gen-latch", needs: ["LatchCommand", "LatchGenerator"]),
        program(
            "latch", path: "Sources/latch",
            needs: [
                "GeneratorVerbs", "LatchCommand",
                "LatchAccounts", "LatchIdentity", "LatchOAuth", "LatchAuth", "LatchServer", "LatchJOSE", "LatchHTTP",
                "LatchCore", "AuthPackage", "JWTAuth", "LaziOAuth", "LatchCrypto", "LatchRPC", "AxiomArchitecture",
                "AxiomCore", "UserService",
            ]),

        // Plugins of SwiftPM: at each build of a target, and by hand.
        .plugin(
            name: "GenerateContracts", capability: .buildTool(), dependencies: ["axiom-client-generator"],
            path: "Plugins/GenerateContracts"),
        .plugin(
            name: "GenerateClients",
            capability: .command(
                intent: .custom(verb: "generate-clients", description: "generates Swift clients from .proto files"),
                permissions: [.writeToPackageDirectory(reason: "It writes the clients that it generates.")]),
            dependencies: ["axiom-client-generator"],
            path: "Plugins/GenerateClients"),

        // Benchmarks: built by Scripts/run-benchmarks.
        .target(name: "CBareCurl", dependencies: [onLinux("CCurl")], path: "Benchmarks/HTTP/CBareCurl"),
        program(
            "bench-http", path: "Benchmarks/HTTP/bench-http",
            needs: ["LatchHTTP", onLinux("CBareCurl"), "CMeasure", "Baselines"]),
        program(
            "bench-interceptors", path: "Benchmarks/HTTP/bench-interceptors",
            needs: ["LatchHTTP", "LatchCore", "CMeasure"]),
        .target(
            name: "CBareServer", dependencies: [onLinux("CMicroHTTPD")], path: "Benchmarks/Server/CBareServer"),
        program(
            "bench-server", path: "Benchmarks/Server/bench-server",
            needs: ["LatchServer", "LatchHTTP", onLinux("CBareServer")]),
        program(
            "bench-identity", path: "Benchmarks/Identity/bench-identity",
            needs: ["LatchIdentity", "LatchServer", "LatchHTTP", "LatchCore"]),
        program("bench-lists", path: "Benchmarks/Identity/bench-lists", needs: ["LatchIdentity"]),
        .target(name: "CMeasure", path: "Benchmarks/CMeasure"),
        module("Baselines", path: "Benchmarks/Baselines"),
        program(
            "bench-session", path: "Benchmarks/Session/bench-session",
            needs: ["LatchAuth", "LatchServer", "LatchJOSE", "LatchHTTP", "LatchCore", "CMeasure"]),
        program(
            "soak-session", path: "Benchmarks/Session/soak-session",
            needs: ["LatchAccounts", "LatchIdentity", "LatchAuth", "LatchServer", "LatchHTTP", "LatchCore"]),
        program(
            "bench-jwtauth", path: "Benchmarks/Session/bench-jwtauth",
            needs: ["JWTAuth", "LatchAuth", "LatchHTTP", "LatchCore", "CMeasure"]),
        program(
            "simulate-session", path: "Benchmarks/Session/simulate-session",
            needs: ["LatchTesting", "LatchAuth"]),
        program(
            "bench-cookies", path: "Benchmarks/Cookies/bench-cookies", needs: ["LatchHTTP", "CMeasure"]),
        program("bench-generator", path: "Benchmarks/Generator/bench-generator", needs: []),
        program("compile-protos", path: "Benchmarks/Proto/compile-protos", needs: ["LatchProto"]),
        program(
            "bench-generate", path: "Benchmarks/Proto/bench-generate",
            needs: ["LatchGenerator", "LatchProto", "CMeasure"]),
        program(
            "generate-swift", path: "Benchmarks/Proto/generate-swift", needs: ["LatchGenerator", "LatchProto"]),
        program(
            "bench-state", path: "Benchmarks/State/bench-state",
            needs: ["UserService", "AxiomArchitecture", "LatchRPC", "CMeasure", "Baselines"]),
        program(
            "bench-crypto", path: "Benchmarks/Crypto/bench-crypto",
            needs: ["LatchJOSE", "LatchCrypto", "LatchCore", "CMeasure", "Baselines"]),

        .executableTarget(
            name: "bench-calls",
            dependencies: [
                "LatchRPC", "LatchServer", "LatchHTTP", "LatchCore", "CMeasure", "Baselines",
            ],
            path: "Benchmarks/RPC/bench-calls", exclude: ["Peers"], swiftSettings: strict),
        program("bench-codec", path: "Benchmarks/RPC/bench-codec", needs: ["LatchRPC", "LatchCore", "CMeasure"]),

        // Programs that a user would start from.
        program("sign-in", path: "Examples/sign-in", needs: ["Latchwork"]),

        // Protobuf's conformance runner speaks with the driver; the tests ask what it answers in process.
        .target(
            name: "ConformanceTestee", dependencies: ["LatchRPC"], path: "Tests/ConformanceDriver/Testee",
            swiftSettings: strict),
        program(
            "conformance-driver", path: "Tests/ConformanceDriver/Driver", needs: ["ConformanceTestee", "LatchRPC"]),
        tests(
            "ConformanceTests",
            needs: ["ConformanceTestee", "conformance-driver", "LatchRPC", "LatchProto", "LatchCore", "TestVectors"]),

        // Connect's conformance runner speaks with these two; the tests let them speak with each other.
        .target(
            name: "ConnectConformance", dependencies: ["LatchRPC", "LatchServer", "LatchHTTP", "LatchCore"],
            path: "Tests/ConnectConformanceDriver/Calls", swiftSettings: strict),
        program(
            "connect-conformance-client", path: "Tests/ConnectConformanceDriver/Client",
            needs: ["ConnectConformance"]),
        program(
            "connect-conformance-server", path: "Tests/ConnectConformanceDriver/Server",
            needs: ["ConnectConformance", "LatchServer"]),
        tests(
            "ConnectConformanceTests",
            needs: [
                "ConnectConformance", "connect-conformance-client", "connect-conformance-server", "LatchRPC",
                "LatchServer", "LatchHTTP", "LatchCore",
            ]),

        // What the generator makes of the .proto files in Examples, as it comes.
        generated("UserService", path: "Examples/user-service/Generated/swift", settings: unwarned),
        generated("TaskManager", path: "Examples/task-manager/Generated/swift", settings: unwarned),
        module(
            "UserAuthentication", path: "Examples/user-service/Authentication",
            needs: ["UserService", "AxiomArchitecture", "AxiomCore", "LatchAuth", "LatchRPC", "LatchHTTP", "LatchCore"]),
        program(
            "user-service", path: "Examples/user-service/App",
            needs: ["UserAuthentication", "UserService", "AxiomArchitecture", "LatchAuth"]),

        // Tests mirror Sources.
        tests("LatchCoreTests", needs: ["LatchTesting", "LatchCore"]),
        tests("LatchProtoTests", needs: ["LatchGenerator", "LatchProto", "LatchTesting", "LatchCore"]),
        tests("RuleTests", needs: ["LatchGenerator", "LatchProto", "LatchRPC", "LatchTesting", "LatchCore"]),
        tests("LatchGeneratorTests", needs: ["LatchGenerator", "LatchProto", "LatchCore"]),
        tests(
            "LatchRPCTests",
            needs: [
                "ConformanceTestee", "LatchReflection", "LatchRPC", "LatchServer", "LatchHTTP", "LatchProto",
                "LatchTesting", "LatchCore", "TestVectors",
            ]),
        module("GeneratedModels", path: "Tests/GeneratedModels", needs: ["LatchRPC"]),
        // All that a legal .proto may do: it must compile, and without a warning.
        generated(
            "GeneratedTorture", path: "Tests/GeneratedTorture/swift", excluding: ["Tests"], settings: unwarned),
        module("GeneratedNames", path: "Tests/GeneratedNames", needs: ["LatchRPC"]),
        tests("DifferentialTests", needs: ["GeneratedModels", "LatchProto", "LatchRPC", "LatchCore", "TestVectors"]),
        // Without our upcoming features: what is generated compiles with and without them.
        tests(
            "GeneratedTests",
            needs: [
                "GeneratedModels", "GeneratedNames", "LatchGenerator", "LatchProto", "LatchRPC", "LatchServer",
                "LatchHTTP",
            ],
            settings: []),
        tests("LatchHTTPTests", needs: ["LatchHTTP", "LatchServer", "LatchTesting", "LatchCore", "TestVectors"]),
        module("TestVectors", path: "Tests/TestVectors", needs: ["LatchCore"]),
        tests("LatchCryptoTests", needs: ["LatchCrypto", "LatchCore", "TestVectors"]),
        tests("LatchJOSETests", needs: ["LatchJOSE", "LatchCrypto", "LatchCore", "TestVectors"]),
        tests("LatchServerTests", needs: ["LatchServer", "LatchHTTP", "LatchTesting", "LatchCore"]),
        tests(
            "LatchAuthTests",
            needs: [
                "LatchAuth", "LatchHTTP", "LatchServer", "LatchCrypto", "LatchJOSE", "LatchTesting", "LatchCore",
                "TestVectors",
            ]),
        tests(
            "LatchIdentityTests",
            needs: [
                "LatchIdentity", "LatchGenerator", "LatchProto", "LatchAuth", "LatchServer", "LatchHTTP", "LatchRPC",
                "LatchJOSE", "LatchCrypto", "LatchTesting", "LatchCore",
            ]),
        tests(
            "LatchAccountsTests",
            needs: [
                "LatchAccounts", "LatchIdentity", "LatchAuth", "LatchServer", "LatchHTTP", "LatchJOSE", "LatchCrypto",
                "LatchTesting", "LatchCore",
            ]),
        tests(
            "LatchTestingTests",
            needs: ["LatchTesting", "LatchAuth", "LatchHTTP", "LatchServer", "LatchCore", "latch", "soak-session"]),
        tests(
            "NevodTests", needs: ["Nevod", "LatchAuth", "LatchHTTP", "LatchServer", "LatchTesting", "LatchCore"]),
        tests(
            "LatchOAuthTests",
            needs: [
                "LatchOAuth", "LatchIdentity", "LatchAuth", "LatchServer", "LatchHTTP", "LatchJOSE", "LatchCrypto",
                "LatchTesting", "LatchCore",
            ]),
        tests(
            "JWTAuthTests",
            needs: [
                "JWTAuth", "LatchIdentity", "LatchAuth", "LatchServer", "LatchHTTP", "LatchJOSE", "LatchTesting",
                "LatchCore",
            ]),
        tests(
            "LaziOAuthTests",
            needs: [
                "LaziOAuth", "LatchOAuth", "LatchIdentity", "LatchAuth", "LatchServer", "LatchHTTP", "LatchJOSE",
                "LatchTesting", "LatchCore",
            ]),
        generatedTests("GeneratedTorture", path: "Tests/GeneratedTorture/swift", settings: unwarned),
        generatedTests("UserService", path: "Examples/user-service/Generated/swift", settings: unwarned),
        generatedTests("TaskManager", path: "Examples/task-manager/Generated/swift", settings: unwarned),
        tests(
            "UserServiceExampleTests",
            needs: [
                "UserAuthentication", "UserService", "AxiomArchitecture", "LatchIdentity", "LatchRPC", "LatchAuth",
                "LatchHTTP", "LatchTesting", "LatchCore",
            ]),
        // Without our upcoming features: the seeds' code compiles as their readers' would.
        .testTarget(
            name: "SeedTests",
            dependencies: [
                "AuthPackage", "Nevod", "JWTAuth", "LaziOAuth", "LatchAccounts", "LatchAuth", "LatchServer",
                "LatchHTTP", "LatchCrypto",
                "LatchTesting", "LatchCore", "latch",
            ],
            path: "Tests/SeedTests", exclude: ["Axiom"], swiftSettings: []),
        .testTarget(
            name: "AxiomSeedTests",
            dependencies: ["UserService", "AxiomArchitecture", "AxiomCore", "LatchRPC", "LatchHTTP"],
            path: "Tests/SeedTests/Axiom", swiftSettings: []),
        tests(
            "LatchTests",
            needs: [
                "latch", "axiom-client-generator", "protoc-gen-latch", "GeneratorVerbs", "LatchGenerator", "LatchProto",
                "LatchCommand", "LatchIdentity", "LatchServer", "LatchHTTP", "LatchAuth", "LatchOAuth", "LatchJOSE",
                "LatchAccounts", "LatchTesting", "LatchCore",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// A build of a few test targets only, while one works: LATCH_TESTS=LatchJOSETests,LatchAuthTests swift test
if let wanted = Context.environment["LATCH_TESTS"] {
    let names = Set(wanted.split(separator: ",").map(String.init))
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

#if os(macOS)
// Apple's SDKs have no FoundationEssentials; a module of that name re-exports their Foundation.
package.targets
    .filter { $0.type != .system && $0.swiftSettings != nil }
    .forEach { $0.dependencies.append("FoundationEssentials") }
package.targets.append(
    .target(name: "FoundationEssentials", path: "Sources/Platform/Apple/FoundationEssentials", swiftSettings: strict))
#endif

// The fuzzer's flags go to every module, so these targets exist only for Scripts/run-fuzz, which builds them apart.
if Context.environment["LATCH_FUZZ"] != nil {
    func fuzz(_ name: String, needs: [Target.Dependency]) -> Target {
        .executableTarget(
            name: name, dependencies: ["FuzzDriver"] + needs, path: "Fuzz/\(name)",
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])])  // libFuzzer brings main
    }
    package.targets += [
        module("FuzzDriver", path: "Fuzz/FuzzDriver"),
        fuzz("fuzz-json", needs: ["LatchCore"]),
        fuzz("fuzz-message-json", needs: ["ConformanceTestee", "LatchRPC"]),
        fuzz("fuzz-message-text", needs: ["ConformanceTestee", "LatchRPC"]),
        fuzz("fuzz-proto", needs: ["LatchProto"]),
        fuzz("fuzz-message", needs: ["LatchRPC"]),
        fuzz("fuzz-origin", needs: ["LatchHTTP"]),
        fuzz("fuzz-pattern", needs: ["LatchCore"]),
        fuzz("fuzz-path", needs: ["LatchHTTP"]),
        fuzz("fuzz-multipart", needs: ["LatchHTTP"]),
        fuzz("fuzz-events", needs: ["LatchHTTP"]),
        fuzz("fuzz-form", needs: ["LatchServer", "LatchHTTP"]),
        fuzz("fuzz-base", needs: ["LatchCore"]),
        fuzz("fuzz-password", needs: ["LatchCrypto"]),
        fuzz("fuzz-secret-file", needs: ["LatchAuth", "LatchCrypto"]),
        fuzz("fuzz-date", needs: ["LatchHTTP"]),
        fuzz("fuzz-cookie", needs: ["LatchHTTP", "LatchCore"]),
        fuzz("fuzz-email", needs: ["LatchIdentity"]),
        fuzz("fuzz-app", needs: ["LatchIdentity"]),
        fuzz("fuzz-token", needs: ["LatchJOSE"]),
        fuzz("fuzz-keys", needs: ["LatchJOSE", "LatchCore"]),
        fuzz("fuzz-document", needs: ["LatchJOSE", "LatchCore"]),
        fuzz("fuzz-pem", needs: ["LatchJOSE", "LatchCore"]),
        fuzz("fuzz-cache", needs: ["LatchHTTP"]),
        fuzz("fuzz-head", needs: ["LatchServer", "LatchHTTP"]),
        fuzz("fuzz-content", needs: ["LatchServer"]),
        fuzz("fuzz-structured-fields", needs: ["LatchHTTP"]),
        fuzz("fuzz-signature-input", needs: ["LatchAuth", "LatchJOSE", "LatchHTTP", "LatchCore"]),
        fuzz("fuzz-link", needs: ["LatchHTTP"]),
        fuzz("fuzz-challenge", needs: ["LatchHTTP"]),
        fuzz("fuzz-token-response", needs: ["LatchOAuth", "LatchAuth", "LatchHTTP", "LatchCore"]),
        fuzz("fuzz-retry-after", needs: ["LatchHTTP"]),
    ]
}
