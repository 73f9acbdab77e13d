// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// A failure to obtain a response, or to use it.
///
/// An unsuccessful status is not an error of the transport. If a route expects success, it becomes an error
/// (`unacceptableStatus`) that carries the response.
public struct HTTPError: CodedError {
    /// The stable error code.
    public let code: String
    /// The description of the failure.
    public let message: String
    /// The suggested remedy.
    public let hint: String?
    /// The response, if there was one.
    public let response: HTTPResponse?
    /// Whether no part of the request was sent, because no connection could be made.
    package var isUnsent = false
    /// The part of the request during which it failed; nil if the transport does not know.
    package var phase: RequestPhase?

    /// Creates an error.
    package init(code: String, message: String, hint: String? = nil, response: HTTPResponse? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.response = response
    }

    /// Whether the network, not the server, is the cause, so that a retry may succeed.
    public var isConnectivity: Bool { code == Self.offline.code || code == Self.timeout.code }

    /// Whether an error has the code of `match`, so that `catch HTTPError.offline` works without LatchCore.
    public static func ~= (match: HTTPError, error: any Error) -> Bool { (error as? HTTPError)?.code == match.code }
}

extension HTTPError {
    /// The URL cannot be requested.
    public static let invalidURL = HTTPError.invalidURL("it is malformed")

    /// Plain http to another machine was rejected; nothing was sent.
    public static let insecureURL = HTTPError(
        code: "insecureURL", message: "Plain http to another machine was refused.",
        hint: "Use https. On a trusted network, allow plain http with `allowingInsecureHTTP`.")

    /// A header field would break the message's framing.
    public static let invalidField = HTTPError.invalidField("?")

    /// A connection could not be made, or was reset.
    public static let offline = HTTPError.offline("The server could not be reached.")

    /// This process, or the whole system, has no file descriptors left for a connection; nothing was sent.
    ///
    /// The network has not failed, and an immediate retry would not help.
    package static let tooManyOpenFiles = HTTPError.tooManyOpenFiles()

    /// The timeout has expired; the server may have processed the request.
    public static let timeout = HTTPError(
        code: "timeout", message: "The server did not respond in time.", hint: "Try again, or allow more time.")

    /// The task and its transfer were canceled.
    public static let cancelled = HTTPError(code: "cancelled", message: "The request was canceled.")

    /// The TLS handshake or the certificate's verification failed; no request was sent.
    public static let tls = HTTPError.tls("The server's certificate could not be verified.")

    /// The certificate is valid, but its key is not among the host's pins.
    ///
    /// The connection may be intercepted, or the host has a new key and this client has outdated pins. No request was
    /// sent.
    public static let pinMismatch = HTTPError.pinMismatch("The server showed a key that is not pinned.")

    /// The server requires a client certificate, or a different one.
    public static let clientCertificateRefused = HTTPError.clientCertificateRefused(
        "The server did not accept this client's certificate.")

    /// The pins, a client certificate or their hosts are invalid.
    public static let invalidTLSPolicy = HTTPError.invalidTLSPolicy("they are malformed")

    /// The content or the head exceeds the limit, so the transfer was ended.
    public static let tooLarge = HTTPError(
        code: "tooLarge", message: "The content is larger than allowed.", hint: "Raise the limit where it is set.")

    /// A stream cannot be read a second time.
    public static let streamSpent = HTTPError(
        code: "streamSpent", message: "The content can be read only once and was read before.",
        hint: "Use content that can be read again, such as a file, if a request may have to be repeated.")

    /// A source of content delivered more or less than its announced length.
    public static let lengthMismatch = HTTPError(
        code: "lengthMismatch", message: "The content is not as long as announced.",
        hint: "Announce the exact length, or none.")

    /// A file cannot be read or created.
    public static let fileUnavailable = HTTPError.fileUnavailable("A file could not be opened.")

    /// A file changed while it was sent, so that neither the old nor the new content was sent.
    public static let fileChanged = HTTPError(
        code: "fileChanged", message: "The file changed while it was read.",
        hint: "Send a copy, or wait until the file is no longer written to.")

    /// The content changed on the server before an interrupted transfer was resumed.
    public static let contentChanged = HTTPError(
        code: "contentChanged", message: "The content changed at the server while it was downloaded.",
        hint: "Download it again.")

    /// The peer violated the protocol.
    public static let malformedMessage = HTTPError.malformedMessage("The message violates HTTP.")

    /// The status is not a success, and the route expects one.
    public static let unacceptableStatus = HTTPError(
        code: "unacceptableStatus", message: "The server responded with an error.")

    /// The content does not match the route's type.
    public static let undecodable = HTTPError.undecodable(
        "The content does not match the expected type.", response: nil)

    /// The content of a route cannot be encoded, such as a number that is not finite.
    public static let unencodable = HTTPError.unencodable("it is malformed.")

    /// Too many redirects, or one that is not allowed.
    public static let redirectRefused = HTTPError(
        code: "redirectRefused", message: "A redirect was refused.", hint: "Request the final address directly.")
}

extension HTTPError {
    package static func invalidURL(_ why: String) -> HTTPError {
        HTTPError(
            code: "invalidURL", message: "The URL cannot be requested: \(why).",
            hint: "Give an absolute URL such as https://api.example.com/v1.")
    }

    package static func fileUnavailable(_ what: String) -> HTTPError {
        HTTPError(code: "fileUnavailable", message: what, hint: "Check the path, its permissions and the disk's space.")
    }

    package static func invalidField(_ name: String) -> HTTPError {
        let safe = String(name.unicodeScalars.filter { $0.isASCII && $0.value > 0x20 && $0.value < 0x7F }.prefix(64))
        return HTTPError(
            code: "invalidField", message: "The header field '\(safe)' holds characters that HTTP forbids.",
            hint: "Remove line breaks and NUL from the value, and use only token characters in the name.")
    }

    /// A field that only the transport may set.
    static func fieldOfTransport(_ name: String) -> HTTPError {
        HTTPError(
            code: "invalidField", message: "The transport sets the header field '\(name)' itself.",
            hint: "Remove it from the request.")
    }

    /// - Parameter isUnsent: Whether no earlier connection can have sent part of the request.
    package static func tooManyOpenFiles(isUnsent: Bool = true) -> HTTPError {
        var error = HTTPError(
            code: "tooManyOpenFiles", message: "This process cannot open more files or connections.",
            hint: "Raise its limit (ulimit -n), or find out which code does not close them.")
        error.isUnsent = isUnsent
        return error
    }

    package static func offline(_ what: String) -> HTTPError {
        HTTPError(code: "offline", message: what, hint: "Check the network and the address, then try again.")
    }

    /// Returns the error of a host whose addresses are all out of bounds for the transport; nothing was sent.
    package static func forbiddenAddress(of authority: String) -> HTTPError {
        var error = HTTPError(
            code: "forbiddenAddress", message: "\(authority) has no address that may be connected to.",
            hint: "Use a host with a public address.")
        error.isUnsent = true
        return error
    }

    /// Returns the error of a time limit that passed in a phase of a request.
    ///
    /// - Parameter hasSent: Whether part of the request was sent.
    static func timeout(of authority: String, _ phase: RequestPhase, hasSent: Bool) -> HTTPError {
        var error = HTTPError(
            code: timeout.code, message: "\(authority) did not respond in time: the limit passed \(phase.words).",
            hint: timeout.hint)
        (error.phase, error.isUnsent) = (phase, !hasSent)
        return error
    }

    /// Returns the error of a response whose fields exceed the limit of the transport.
    static func fieldsTooLarge(of authority: String) -> HTTPError {
        HTTPError(
            code: tooLarge.code, message: "The response header fields of \(authority) are too large.",
            hint: "The limits are 256 KiB in total, 100 KB for one line, and 4 KiB for one trailer line.")
    }

    package static func tls(
        _ what: String, hint: String = "Check the certificate, the host name and this machine's clock."
    ) -> HTTPError { HTTPError(code: "tls", message: what, hint: hint) }

    package static func pinMismatch(_ what: String) -> HTTPError {
        HTTPError(
            code: "pinMismatch", message: what,
            hint: "Do not continue over this network; compare the host's key with the pins in use.")
    }

    package static func clientCertificateRefused(_ what: String) -> HTTPError {
        HTTPError(
            code: "clientCertificateRefused", message: what,
            hint: "Check that the client certificate is valid, the server accepts it, and its hosts include this one.")
    }

    package static func invalidTLSPolicy(_ why: String) -> HTTPError {
        HTTPError(
            code: "invalidTLSPolicy", message: "The TLS settings cannot be used: \(why).",
            hint: "Compare pins, certificates, passphrases and host names with those from the server's operator.")
    }

    package static let mailRefusedCode = "mailRefused"

    /// Returns the error of a mail server's permanent rejection (5xx) of a recipient or a message; a retry would not
    /// help.
    ///
    /// - Parameter codes: The code of the reply, possibly with an enhanced one, such as `550 5.1.1`.
    package static func mailRefused(_ codes: String) -> HTTPError {
        HTTPError(
            code: mailRefusedCode, message: "The mail server refused the message (\(codes)).",
            hint: "Check the address of the recipient.")
    }

    package static func redirectRefused(_ what: String) -> HTTPError {
        HTTPError(code: "redirectRefused", message: what, hint: redirectRefused.hint)
    }

    package static func malformedMessage(_ what: String) -> HTTPError {
        HTTPError(code: "malformedMessage", message: what)
    }

    /// Returns the error of a response whose content arrives in a transfer coding that was not allowed (RFC 9112 §7).
    package static func transferCoding(_ name: String, of authority: String) -> HTTPError {
        let safe = String(decoding: name.utf8.filter { $0 > 0x20 && $0 < 0x7F }.prefix(32), as: UTF8.self)
        return HTTPError(
            code: malformedMessage.code,
            message: "\(authority) sent its content in the transfer coding '\(safe)', which no request allows.",
            hint: "The server, or the proxy in front of it, must name the coding in Content-Encoding.")
    }

    package static func unacceptableStatus(_ response: HTTPResponse) -> HTTPError {
        HTTPError(
            code: unacceptableStatus.code, message: "The server responded with status \(response.status).",
            response: response)
    }

    /// Returns this status error with a message that names the request.
    ///
    /// The message has its method, and the template or the redacted path without the query.
    func naming(_ request: HTTPRequest) -> HTTPError {
        guard let response else { return self }
        let path = Substring(LogRedaction.target(request, showing: [], hidingPath: false).utf8.prefix { $0 != 0x3F })
        return HTTPError(
            code: code,
            message: "\(LogRedaction.method(request.method)) \(path) returned status \(response.status).",
            hint: hint, response: response)
    }

    package static func unencodable(_ what: String) -> HTTPError {
        HTTPError(
            code: "unencodable", message: "The content could not be written: \(what)",
            hint: "Check that the route's encoder supports its value.")
    }

    /// A GET with content on a system whose networking refuses to send one.
    ///
    /// RFC 9110 §9.3.1 gives such content no meaning.
    package static let contentWithGET = HTTPError(
        code: "unencodable", message: "This platform cannot send content with a GET request.",
        hint: "Put it into the URL's query, or send it with POST.")

    package static func undecodable(_ what: String, response: HTTPResponse?) -> HTTPError {
        HTTPError(
            code: "undecodable", message: "The response could not be decoded: \(what)",
            hint: "Check that the route's type matches the server's content.", response: response)
    }
}
