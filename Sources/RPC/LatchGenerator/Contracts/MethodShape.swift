// SPDX-License-Identifier: Apache-2.0

package import LatchProto

/// What a method is in Swift.
package struct MethodShape {
    /// The method.
    package let method: MethodDescriptor
    /// Its name.
    package let name: String
    /// The lines of its documentation, which is written at several places.
    let documentation: [Substring]
    /// The message that is sent.
    package let request: String
    /// The message that is answered.
    package let answer: String
    /// Whether the answer is `google.protobuf.Empty`, which Swift calls `Void`.
    package let answersNothing: Bool
    private let stream: String

    /// The shape of a method.
    ///
    /// - Parameter isDocumented: Whether its documentation is wanted.
    package init(_ method: MethodDescriptor, _ types: TypeTable, isDocumented: Bool = true) {
        self.method = method
        name = method.swiftName
        let text = isDocumented ? method.comments.documentation : nil
        documentation = text.map { DocComment.lines(of: $0) } ?? []
        request = method.input.map(types.name) ?? "Never"
        answer = method.output.map(types.name) ?? "Never"
        answersNothing = method.output?.fullName == "google.protobuf.Empty" && !method.isServerStreaming
        stream = types.standard("RPCStream")
    }

    /// The case of `RPCKind`, which is the name of the handler's function too.
    var kind: String {
        switch (method.isClientStreaming, method.isServerStreaming) {
        case (false, false): "unary"
        case (false, true): "serverStreaming"
        case (true, false): "clientStreaming"
        case (true, true): "bidirectional"
        }
    }

    /// The function of a channel that calls it, and of a handler that answers it.
    var call: String {
        switch (method.isClientStreaming, method.isServerStreaming) {
        case (false, false): "unary"
        case (false, true): "serverStream"
        case (true, false): "clientStream"
        case (true, true): "bidirectional"
        }
    }

    /// The label inside of a function, and the type, of what is sent.
    package var parameter: (name: String, type: String) {
        method.isClientStreaming ? ("requests", "\(stream)<\(request)>") : ("request", request)
    }

    /// The type of what is answered; nil for nothing.
    package var result: String? {
        answersNothing ? nil : method.isServerStreaming ? "\(stream)<\(answer)>" : answer
    }

    /// The function's head from its name on, with a second parameter.
    func head(_ second: String, _ type: String) -> String {
        "func \(name)(_ \(parameter.name): \(parameter.type), \(second): \(type)) async throws\(arrow)"
    }

    /// The arrow and the type behind a function.
    var arrow: String { result.map { " -> \($0)" } ?? "" }
}
