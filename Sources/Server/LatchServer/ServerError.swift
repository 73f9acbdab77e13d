// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// An error that prevents a server from starting, or a request from being served.
public struct ServerError: CodedError {
    /// The stable name of the error.
    public let code: String
    /// A sentence that describes the error.
    public let message: String
    /// A sentence that describes a remedy.
    public let hint: String?
    /// The status of the response to a request that fails with this error.
    public let status: HTTPStatus

    /// Creates an error; a client sees `code` and `message` if the status is a client error.
    public init(code: String, message: String, hint: String? = nil, status: HTTPStatus = .internalServerError) {
        self.code = code
        self.message = message
        self.hint = hint
        self.status = status
    }

    /// Matches an error with the same code, so that `catch` needs no other import.
    public static func ~= (pattern: ServerError, error: any Error) -> Bool {
        (error as? ServerError)?.code == pattern.code
    }
}

extension ServerError {
    /// Another process listens on the address.
    public static let portInUse = ServerError.portInUse(at: "the address")

    /// The address does not belong to this machine.
    public static let addressUnavailable = ServerError.addressUnavailable(
        "the address", why: "it does not belong to this machine")

    /// The certificate or its key is unusable.
    public static let badCertificate = ServerError.badCertificate("it cannot be read")

    /// TLS is not supported on this platform, where the server is for development.
    public static let tlsUnavailable = ServerError(
        code: "tlsUnavailable", message: "The server has no TLS on this platform.",
        hint: "Serve plain HTTP on 127.0.0.1 behind a proxy that ends TLS, or serve on Linux.")

    /// The file of authorities has no certificate, or a malformed one.
    public static let badAuthorities = ServerError(
        code: "badAuthorities", message: "The certificates of the authorities cannot be read.",
        hint: "Provide one or more certificates in PEM, and nothing else that begins like one.")

    /// The server does not serve https, so it has no certificate to replace.
    public static let noCertificate = ServerError(
        code: "noCertificate", message: "The server does not serve https.",
        hint: "Start it with a certificate, which can then be replaced.")

    /// The server was already started.
    public static let alreadyStarted = ServerError(
        code: "alreadyStarted", message: "The server was already started.", hint: "Create a new one for each start.")

    /// The system has no thread or no file descriptor left.
    public static let outOfResources = ServerError(
        code: "outOfResources", message: "The system has no thread or no file descriptor left for the server.",
        hint: "Raise the limits of the process (ulimit -n, ulimit -u), or serve with fewer loops.")

    /// The content is larger than allowed (RFC 9110 §15.5.14).
    public static let contentTooLarge = ServerError(
        code: "contentTooLarge", message: "The content is larger than allowed.", status: .contentTooLarge)

    /// All requests together hold too much memory (RFC 9110 §15.6.4); the same request may succeed later.
    public static let memoryExhausted = ServerError(
        code: "memoryExhausted", message: "The server currently holds too much content.", status: .serviceUnavailable)

    /// The content has an unsupported type (RFC 9110 §15.5.16).
    public static let unsupportedMediaType = ServerError.unsupportedMediaType(expected: "another type")

    /// The resource does not exist (RFC 9110 §15.5.5).
    public static let notFound = ServerError(
        code: "notFound", message: "The resource does not exist.", status: .notFound)

    /// The content, the query or the path is malformed.
    public static let malformedRequest = ServerError.malformedRequest("The request is malformed.")
}

extension ServerError {
    /// - Parameter address: The requested address as `host:port`.
    package static func portInUse(at address: String) -> ServerError {
        ServerError(
            code: "portInUse", message: "Another process already listens on \(address).",
            hint: "Choose another port, or 0 for any free one.")
    }

    /// - Parameter why: The end of the sentence, without a period.
    package static func addressUnavailable(_ address: String, why: String) -> ServerError {
        ServerError(
            code: "addressUnavailable", message: "The server cannot listen on \(address): \(why).",
            hint: "Use an address of this machine, such as 127.0.0.1, and a port that this user may open.")
    }

    /// - Parameter why: The end of the sentence, without any part of the key.
    package static func badCertificate(_ why: String) -> ServerError {
        ServerError(
            code: "badCertificate", message: "The certificate or its key cannot be used: \(why).",
            hint: "Provide a PEM certificate chain, the server's own first, and the PEM private key that belongs to it."
        )
    }

    /// - Parameter message: A complete sentence, which the client sees.
    package static func malformedRequest(_ message: String) -> ServerError {
        ServerError(code: "malformedRequest", message: message, status: .badRequest)
    }

    /// The content is compressed, and no decoder here accepts that (RFC 9110 §15.5.16).
    package static let unsupportedContentCoding = ServerError(
        code: "unsupportedContentCoding", message: "The content must not have a Content-Encoding.",
        status: .unsupportedMediaType)

    /// - Parameter expected: The media type that is supported (RFC 9110 §15.5.16).
    package static func unsupportedMediaType(expected: String) -> ServerError {
        ServerError(
            code: "unsupportedMediaType", message: "The content must be \(expected).", status: .unsupportedMediaType)
    }
}
