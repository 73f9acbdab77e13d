// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@testable import LatchGenerator

@Suite struct ServiceTextTests {
    private let greeter = """
        import "google/protobuf/empty.proto";
        // Greets.
        service Greeter {
          // Says hello.
          rpc SayHello(Name) returns (Name) { option idempotency_level = NO_SIDE_EFFECTS; }
          rpc Forget(Name) returns (google.protobuf.Empty);
          rpc Watch(Name) returns (stream Name);
          rpc Collect(stream Name) returns (google.protobuf.Empty);
          // Deprecated: chat with people.
          rpc Chat(stream Name) returns (stream Name) { option deprecated = true; }
        }
        message Name {}
        """

    @Test func `A service in Swift is called through a protocol, with options and without`() throws {
        let text = try swift(greeter)
        #expect(
            text.contains(
                """
                /// Greets.
                public protocol GreeterProtocol: Sendable {
                    /// Says hello.
                    func sayHello(_ request: Name, options: CallOptions) async throws -> Name
                    func forget(_ request: Name, options: CallOptions) async throws
                    func watch(_ request: Name, options: CallOptions) async throws -> RPCStream<Name>
                    func collect(_ requests: RPCStream<Name>, options: CallOptions) async throws
                    /// Deprecated: chat with people.
                    func chat(_ requests: RPCStream<Name>, options: CallOptions) async throws -> RPCStream<Name>
                }
                """))
        // Generated clients call the protocol, and are not to be warned; who calls a stub by hand is.
        expectEqual(text.ranges(of: "@available(*, deprecated, message: \"chat with people.\")").count, 3)
        #expect(
            text.contains(
                """
                    public func forget(_ request: Name) async throws {
                        try await forget(request, options: CallOptions())
                    }
                """))
    }

    @Test func `A service in Swift has its methods as values`() throws {
        let text = try swift(greeter)
        #expect(
            text.contains(
                """
                    public static let sayHello = RPCMethod<Name, Name>("Greeter", "SayHello", idempotency: .noSideEffects)
                    public static let forget = RPCMethod<Name, Empty>("Greeter", "Forget")
                    public static let watch = RPCMethod<Name, Name>("Greeter", "Watch", kind: .serverStreaming)
                    public static let collect = RPCMethod<Name, Empty>("Greeter", "Collect", kind: .clientStreaming)
                """))
    }

    @Test func `A service in Swift is implemented by conforming to a protocol`() throws {
        let text = try swift(greeter)
        #expect(
            text.contains(
                """
                        [
                            .unary(GreeterMethods.sayHello) { try await sayHello($0, context: $1) },
                            .unary(GreeterMethods.forget) { try await forget($0, context: $1); return Empty() },
                            .serverStream(GreeterMethods.watch) { try await watch($0, context: $1) },
                            .clientStream(GreeterMethods.collect) { try await collect($0, context: $1); return Empty() },
                            .bidirectional(GreeterMethods.chat) { try await chat($0, context: $1) },
                        ]
                """))
        // Who answers need not be told that nobody should call.
        let server = try #require(text.firstRange(of: "public protocol GreeterServer"))
        #expect(!text[server.lowerBound...].contains("@available"))
    }

    @Test func `A service in Swift has a stub and a fake with the same functions`() throws {
        let text = try swift(greeter)
        for name in ["sayHello", "forget", "watch", "collect", "chat"] {
            expectEqual(text.ranges(of: "    public func \(name)(_ request").count, 3, "\(name)")
        }
        #expect(text.contains("public var onForget: (@Sendable (Name) async throws -> Void)? {"))
        #expect(text.contains("public var forgetRequests: [Name] { calls_forget.requests }"))
    }

    @Test func `A service in Swift names messages of other packages as their files do`() throws {
        let others = ["o.proto": "syntax = \"proto3\"; package o; option swift_prefix = \"O\"; message Name {}"]
        let output = try written(
            "syntax = \"proto3\"; import \"o.proto\"; service S { rpc Get(o.Name) returns (o.Name); }", with: others,
            all: true)
        let text = try #require(output.files.last).text
        #expect(text.contains("func get(_ request: OName, options: CallOptions) async throws -> OName"))
    }
}
