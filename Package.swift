// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A target needs only what stands above it. Scripts/check-layers prints the picture and checks the imports.
// Benchmarks/ and Fuzz/ are packages of their own.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let products = [
    "Latchwork", "LatchCore", "LatchHTTP", "LatchCrypto", "LatchJOSE", "LatchAuth", "LatchOAuth", "LatchAccounts",
    "LatchServer", "LatchIdentity", "LatchProtobuf", "LatchRPC", "LatchReflection", "LatchTesting",
    "AuthPackage", "AxiomArchitecture", "AxiomCore", "JWTAuth", "LaziOAuth", "Nevod",
]

let libraries = [
    modules(
        in: "Sources/Core",
        [
            "PortableFoundation": "",
            "LatchCore": "CTimer",
            "LatchProcess": "LatchCore CSpawn",
            "LatchTOML": "LatchCore",
            "LatchCrypto": "LatchCore COpenSSL CArgon2",
        ]),
    modules(in: "Sources/HTTP", ["LatchHTTP": "LatchCore CCurl CCurlShim CPSL"]),
    modules(
        in: "Sources/RPC",
        [
            "LatchRegex": "LatchCore",
            "LatchProtobuf": "LatchRegex LatchCore",
            "LatchRPC": "LatchProtobuf LatchHTTP LatchCore CZlib",
            "LatchReflection": "LatchRPC LatchCore",
            "LatchProto": "",
            "LatchGenerator": "LatchProto LatchRegex LatchTOML LatchProcess LatchCore",
        ]),
    modules(
        in: "Sources/Sessions",
        [
            "LatchJOSE": "LatchCrypto LatchCore",
            "LatchAuth": "LatchHTTP LatchJOSE LatchCrypto LatchCore CSecret",
            "LatchOAuth": "LatchAuth LatchHTTP LatchCore",
            "LatchAccounts": "LatchOAuth LatchAuth LatchHTTP LatchJOSE LatchCore",
            "Latchwork": "LatchAccounts LatchOAuth LatchAuth LatchJOSE LatchHTTP LatchCore",
        ]),
    modules(
        in: "Sources/Server",
        [
            "LatchServer": "LatchHTTP LatchCore CTLSShim CEpoll",
            "LatchIdentity": "LatchServer LatchAuth LatchRPC LatchHTTP LatchJOSE LatchCrypto LatchCore CSQLite",
        ]),
    modules(
        in: "Sources/Compatibility",
        [
            "FoundationBridge": "LatchHTTP LatchCore",
            "AuthPackage": "LatchAccounts LatchAuth LatchHTTP LatchJOSE LatchCore",
            "Nevod": "FoundationBridge LatchAuth LatchHTTP LatchCore",
            "JWTAuth": "FoundationBridge LatchAuth LatchHTTP LatchJOSE LatchCore",
            "LaziOAuth": "LatchOAuth LatchAuth LatchHTTP LatchJOSE LatchCore",
            "AxiomCore": "LatchRPC",
            "AxiomArchitecture": "AxiomCore LatchRPC",
        ]),
    modules(in: "Sources/Testing", ["LatchTesting": "LatchAuth LatchServer LatchHTTP LatchProcess LatchCore"]),
].flatMap(\.self)

let examples =
    generated("UserService", in: "Examples/user-service/Generated/swift")
    + generated("TaskManager", in: "Examples/task-manager/Generated/swift")
    + modules(
        in: "Examples",
        [
            "sign-in": "Latchwork",
            "user-service/UserAuthentication":
                "UserService AxiomArchitecture AxiomCore LatchAuth LatchRPC LatchHTTP LatchCore",
            "user-service/user-service": "UserAuthentication UserService AxiomArchitecture LatchAuth",
        ])

let commands = modules(
    in: "Sources/Commands",
    [
        "LatchCommand": "LatchCore",
        "GeneratorCommands": "LatchCommand LatchGenerator LatchProto LatchProcess LatchCore",
        "axiom-client-generator": "GeneratorCommands LatchCommand",
        "protoc-gen-latch": "LatchCommand LatchGenerator",
        "latch": """
        GeneratorCommands LatchCommand LatchAccounts LatchIdentity LatchOAuth LatchAuth LatchServer LatchJOSE \
        LatchHTTP LatchRPC LatchTOML LatchCore
        """,
        "latch-demo": """
        LatchCommand LatchAccounts LatchOAuth LatchAuth LatchHTTP LatchCrypto LatchRPC LatchProcess LatchCore \
        AuthPackage JWTAuth LaziOAuth AxiomArchitecture AxiomCore UserService
        """,
    ])

/// Programs and models that tests run, and drivers that conformance runners and `make nightly` start.
let testPrograms =
    generated("GeneratedTorture", in: "Tests/GeneratedTorture/swift")
    + modules(
        in: "Tests",
        [
            "TestVectors": "LatchProcess LatchCore",
            "TestTags": "",
            "TestSupport": "LatchTesting LatchAuth LatchServer LatchHTTP LatchProcess LatchCore",
            "GeneratedModels": "LatchRPC",
            "GeneratedNames": "LatchRPC",
            "generate-swift": "LatchGenerator LatchProto",
            "Nightly/simulate-session": "LatchTesting LatchAuth",
            "Nightly/soak-session":
                "LatchProcess LatchAccounts LatchIdentity LatchAuth LatchServer LatchHTTP LatchCore",
            "ConformanceDriver/ConformanceTestee": "LatchRPC",
            "ConformanceDriver/conformance-driver": "ConformanceTestee LatchRPC",
            "ConnectConformanceDriver/ConnectConformance": "LatchRPC LatchServer LatchHTTP LatchCore",
            "ConnectConformanceDriver/connect-conformance-client": "ConnectConformance",
            "ConnectConformanceDriver/connect-conformance-server": "ConnectConformance LatchServer",
        ])

let allTests =
    tests([
        "LatchCoreTests": "TestTags LatchTesting LatchProcess LatchRegex LatchTOML LatchCore",
        "LatchCryptoTests": "TestTags LatchCrypto LatchCore TestVectors",
        "LatchHTTPTests": "TestSupport TestTags LatchProcess LatchHTTP LatchServer LatchTesting LatchCore TestVectors",
        "LatchProtoTests": "TestTags LatchGenerator LatchProto LatchTesting LatchProcess LatchCore",
        "LatchRPCTests": """
        TestSupport TestTags LatchProcess LatchReflection LatchRPC LatchProtobuf LatchServer LatchHTTP LatchProto LatchTesting LatchCore \
        ConformanceTestee TestVectors
        """,
        "ConformanceTests":
            "LatchProcess LatchRPC LatchProto LatchCore ConformanceTestee conformance-driver TestVectors",
        "ConnectConformanceTests": """
        LatchRPC LatchServer LatchHTTP LatchCore ConnectConformance connect-conformance-client \
        connect-conformance-server
        """,
        "DifferentialTests": "LatchProcess GeneratedModels LatchProto LatchRPC LatchProtobuf LatchCore TestVectors",
        "RuleTests":
            "TestTags LatchProcess LatchGenerator LatchProto LatchRPC LatchProtobuf LatchRegex LatchTesting LatchCore",
        "LatchGeneratorTests": "TestTags LatchGenerator LatchProto LatchTOML LatchProcess LatchCore",
        "LatchJOSETests": "TestTags LatchJOSE LatchCrypto LatchCore TestVectors",
        "LatchAuthTests": """
        TestSupport TestTags LatchAuth LatchHTTP LatchServer LatchCrypto LatchJOSE LatchTesting LatchProcess LatchCore TestVectors
        """,
        "LatchOAuthTests": """
        TestSupport TestTags LatchOAuth LatchIdentity LatchAuth LatchServer LatchHTTP LatchJOSE LatchCrypto LatchTesting LatchCore
        """,
        "LatchAccountsTests": """
        TestSupport TestTags LatchAccounts LatchIdentity LatchAuth LatchServer LatchHTTP LatchJOSE LatchCrypto LatchTesting LatchCore
        """,
        "LatchServerTests": "TestSupport TestTags LatchProcess LatchServer LatchHTTP LatchTesting LatchCore",
        "LatchIdentityTests": """
        TestSupport TestTags LatchIdentity LatchGenerator LatchProto LatchAuth LatchServer LatchHTTP LatchRPC LatchJOSE LatchCrypto \
        LatchTesting LatchCore
        """,
        "NevodTests": "TestSupport TestTags Nevod LatchAuth LatchHTTP LatchServer LatchTesting LatchCore",
        "JWTAuthTests":
            "TestSupport TestTags JWTAuth LatchIdentity LatchAuth LatchServer LatchHTTP LatchJOSE LatchTesting LatchCore",
        "LaziOAuthTests": """
        TestSupport TestTags LaziOAuth LatchOAuth LatchIdentity LatchAuth LatchServer LatchHTTP LatchJOSE LatchTesting LatchCore
        """,
        "LatchTestingTests":
            "TestSupport LatchTesting LatchAuth LatchHTTP LatchServer LatchProcess LatchCore latch soak-session",
        "UserServiceExampleTests": """
        TestTags UserAuthentication UserService AxiomArchitecture LatchIdentity LatchRPC LatchAuth LatchHTTP LatchTesting \
        LatchCore
        """,
        "LatchTests": """
        TestSupport TestTags latch latch-demo axiom-client-generator protoc-gen-latch GeneratorCommands LatchGenerator LatchProto LatchCommand \
        LatchIdentity LatchServer LatchHTTP LatchAuth LatchOAuth LatchJOSE LatchAccounts LatchTesting LatchProcess \
        LatchTOML LatchCore
        """,
    ])
    // Without our upcoming features: generated code, and the code of the documented systems, compile with and without.
    + tests(
        [
            "GeneratedTests":
                "TestTags GeneratedModels GeneratedNames LatchGenerator LatchProto LatchRPC LatchServer LatchHTTP",
            "SeedTests": """
            TestSupport TestTags AuthPackage Nevod JWTAuth LaziOAuth LatchAccounts LatchAuth LatchServer LatchHTTP LatchCrypto \
            LatchTesting LatchCore latch
            """,
            "AxiomSeedTests": "TestTags UserService AxiomArchitecture AxiomCore LatchRPC LatchHTTP",
        ], settings: [])

let package = Package(
    name: "Latchwork",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: products.map { .library(name: $0, targets: [$0]) } + [
        // For Benchmarks/ and Fuzz/, which are part of this project.
        .library(
            name: "LatchInternals",
            targets: ["LatchProcess", "LatchRegex", "LatchProto", "LatchGenerator", "UserService", "ConformanceTestee"]),
        .executable(name: "latch", targets: ["latch"]),
        .executable(name: "latch-demo", targets: ["latch-demo"]),
        .executable(name: "axiom-client-generator", targets: ["axiom-client-generator"]),
        .executable(name: "protoc-gen-latch", targets: ["protoc-gen-latch"]),
        .plugin(name: "GenerateContracts", targets: ["GenerateContracts"]),
        .plugin(name: "GenerateClients", targets: ["GenerateClients"]),
    ],
    targets: [
        system("COpenSSL", "libcrypto", apt: "libssl-dev"),
        system("CTLS", "openssl", apt: "libssl-dev"),
        // Without pkg-config: CCurlShim loads the library with the first request, see CurlLibrary.c.
        system("CCurl", apt: "libcurl4-openssl-dev"),
        system("CSQLite", "sqlite3", apt: "libsqlite3-dev"),
        system("CArgon2", "libargon2", apt: "libargon2-dev"),
        system("CPSL", "libpsl", apt: "libpsl-dev"),
        system("CZlib", "zlib", apt: "zlib1g-dev"),
        system("CEpoll"), system("CSpawn"), system("CTimer"),
        shim("CCurlShim", "CCurl"), shim("CTLSShim", "CTLS"), shim("CSecret"),

        .plugin(
            name: "GenerateContracts", capability: .buildTool(), dependencies: ["axiom-client-generator"],
            path: "Plugins/GenerateContracts"),
        .plugin(
            name: "GenerateClients",
            capability: .command(
                intent: .custom(verb: "generate-clients", description: "generates Swift clients from .proto files"),
                permissions: [.writeToPackageDirectory(reason: "It writes the clients that it generates.")]),
            dependencies: ["axiom-client-generator"], path: "Plugins/GenerateClients"),
    ] + libraries + examples + commands + testPrograms + allTests,
    swiftLanguageModes: [.v6]
)

// LATCH_TESTS=LatchJOSETests,LatchAuthTests swift test builds only these test targets.
if let wanted = Context.environment["LATCH_TESTS"] {
    let names = Set(wanted.split(separator: ",").map(String.init))
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

/// A target for each entry, "path under the folder" to the names it needs; a lower-case name is a program.
func modules(in folder: String, _ modules: KeyValuePairs<String, String>) -> [Target] {
    modules.map { path, needs in
        let name = String(path.split(separator: "/").last ?? "")
        let needs = name == "PortableFoundation" ? "" : "PortableFoundation \(needs)"
        return name.first?.isUppercase == true
            ? .target(
                name: name, dependencies: dependencies(needs), path: "\(folder)/\(path)",
                exclude: name == "LatchReflection" ? ["Protos"] : [], swiftSettings: strict)
            : .executableTarget(
                name: name, dependencies: dependencies(needs), path: "\(folder)/\(path)", swiftSettings: strict)
    }
}

func tests(_ targets: KeyValuePairs<String, String>, settings: [SwiftSetting] = strict) -> [Target] {
    targets.map {
        .testTarget(
            name: $0, dependencies: dependencies("PortableFoundation \($1)"), path: "Tests/\($0)",
            swiftSettings: settings)
    }
}

/// A client that the generator wrote, beside its guides and its tests; all of it compiles without a warning.
func generated(_ name: String, in folder: String) -> [Target] {
    let needs = dependencies("AxiomArchitecture AxiomCore LatchRPC")
    let settings = strict + [SwiftSetting.treatAllWarnings(as: .error)]
    return [
        .target(
            name: name, dependencies: needs, path: folder, exclude: ["Documentation", "Tests"], swiftSettings: settings),
        .testTarget(
            name: "\(name)Tests", dependencies: needs + dependencies(name), path: "\(folder)/Tests",
            swiftSettings: settings),
    ]
}

/// The targets with these names, separated by spaces.
///
/// C libraries are used on Linux only, but for SQLite.
func dependencies(_ names: String) -> [Target.Dependency] {
    names.split(separator: " ").map { name in
        let isLinuxOnly = name.wholeMatch(of: /C[A-Z].*/) != nil && name != "CSQLite"
        return .target(name: String(name), condition: isLinuxOnly ? .when(platforms: [.linux]) : nil)
    }
}

/// A library of the system: a module map and a header, found by pkg-config.
func system(_ name: String, _ pkgConfig: String? = nil, apt: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "Sources/C/\(name)", pkgConfig: pkgConfig, providers: apt.map { [.apt([$0])] } ?? [])
}

func shim(_ name: String, _ needs: String...) -> Target {
    .target(
        name: name, dependencies: needs.map { .target(name: $0, condition: .when(platforms: [.linux])) },
        path: "Sources/C/\(name)")
}
