// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The Swift representation of a method.
struct MethodShape {
    let method: MethodDescriptor
    /// The name of the Swift function.
    let name: String
    let documentation: String?
    /// The type of a request message.
    let request: String
    /// The type of a response message.
    let response: String
    /// Whether the response is a single `google.protobuf.Empty`, which becomes `Void`.
    let hasEmptyResponse: Bool
    private let stream: String

    init(_ method: MethodDescriptor, _ types: TypeTable) {
        self.method = method
        name = method.swiftName
        documentation = method.comments.documentation
        request = method.input.map(types.name) ?? "Never"
        response = method.output.map(types.name) ?? "Never"
        hasEmptyResponse = method.output?.fullName == "google.protobuf.Empty" && !method.isServerStreaming
        stream = types.standard("RPCStream")
    }

    /// The case of `RPCKind`.
    var kind: String {
        switch (method.isClientStreaming, method.isServerStreaming) {
        case (false, false): "unary"
        case (false, true): "serverStreaming"
        case (true, false): "clientStreaming"
        case (true, true): "bidirectional"
        }
    }

    /// The name of the function of a channel and of a method handler.
    var call: String { kind.dropping(suffix: "ing") }

    var parameter: (name: String, type: String) {
        method.isClientStreaming ? ("requests", "\(stream)<\(request)>") : ("request", request)
    }

    /// The type of the result; nil for `Void`.
    var result: String? {
        hasEmptyResponse ? nil : method.isServerStreaming ? "\(stream)<\(response)>" : response
    }

    /// Returns the function's signature, with a second parameter.
    func head(_ second: String, _ type: String) -> String {
        "func \(name)(_ \(parameter.name): \(parameter.type), \(second): \(type)) async throws\(arrow)"
    }

    /// The arrow and the result type of the signature.
    var arrow: String { result.map { " -> \($0)" } ?? "" }
}
