// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchHTTP

/// What keeps a server from starting, or a request from being served.
public struct ServerError: CodedError {
    /// The stable name of what went wrong.
    public let code: String
    /// What happened.
    public let message: String
    /// What to do about it.
    public let hint: String?
    /// The status with which a request that ends in this error is answered.
    public let status: HTTPStatus

    /// An error with its context; `message` and `hint` are shown to clients when the status is a client's error.
    public init(code: String, message: String, hint: String? = nil, status: HTTPStatus = .internalServerError) {
        self.code = code
        self.message = message
        self.hint = hint
        self.status = status
    }
}

extension ServerError {
    /// Another process listens on the address.
    public static let portInUse = ServerError.portInUse(at: "the address")

    /// The address is not one of this machine.
    public static let addressUnavailable = ServerError.addressUnavailable(
        "The address", why: "it is not of this machine")

    /// The certificate or its key cannot be used.
    public static let badCertificate = ServerError.badCertificate("it cannot be read")

    /// The server was already started.
    public static let alreadyStarted = ServerError(
        code: "alreadyStarted", message: "The server was already started.", hint: "Make a new one for each start.")

    /// The system gives no thread or no descriptor.
    public static let outOfResources = ServerError(
        code: "outOfResources", message: "The system gives no thread or no file descriptor for the server.",
        hint: "Raise the limits of the process (ulimit -n, ulimit -u), or serve with fewer loops.")

    /// The content is larger than allowed (RFC 9110 §15.5.14).
    public static let contentTooLarge = ServerError(
        code: "contentTooLarge", message: "The content is larger than allowed.", status: .contentTooLarge)

    /// The content is not of the type that is needed (RFC 9110 §15.5.16).
    public static let unsupportedMediaType = ServerError.unsupportedMediaType(expected: "another type")

    /// The content, the query or the path breaks its format.
    public static let malformedRequest = ServerError.malformedRequest("The request is malformed.")
}

extension ServerError {
    /// - Parameter address: `host:port`, as it was wanted.
    package static func portInUse(at address: String) -> ServerError {
        ServerError(
            code: "portInUse", message: "Another process already listens on \(address).",
            hint: "Choose another port, or 0 for any free one.")
    }

    /// - Parameter why: Ends the sentence, without a full stop.
    package static func addressUnavailable(_ address: String, why: String) -> ServerError {
        ServerError(
            code: "addressUnavailable", message: "\(address) cannot be listened on: \(why).",
            hint: "Give an address of this machine, such as 127.0.0.1, and a port that this user may open.")
    }

    /// - Parameter why: Ends the sentence, and holds nothing of the key.
    package static func badCertificate(_ why: String) -> ServerError {
        ServerError(
            code: "badCertificate", message: "The certificate or its key cannot be used: \(why).",
            hint: "Give a PEM certificate chain, the server's own first, and the PEM private key that belongs to it.")
    }

    /// - Parameter what: A whole sentence, which the client sees.
    package static func malformedRequest(_ what: String) -> ServerError {
        ServerError(code: "malformedRequest", message: what, status: .badRequest)
    }

    /// - Parameter expected: The media type that is read here (RFC 9110 §15.5.16).
    package static func unsupportedMediaType(expected: String) -> ServerError {
        ServerError(
            code: "unsupportedMediaType", message: "The content must be \(expected).", status: .unsupportedMediaType)
    }
}
