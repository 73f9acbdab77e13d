// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// What goes wrong between a request and its response.
///
/// An answer with an unwelcome status is not an error of the transport; it becomes one (`unacceptableStatus`) where a
/// route expected success, and then carries the response.
public struct HTTPError: CodedError {
    /// The stable name of what went wrong.
    public let code: String
    /// What happened.
    public let message: String
    /// What to do about it.
    public let hint: String?
    /// The response, where there was one.
    public let response: HTTPResponse?
    /// Whether it is certain that no part of the request was sent: there was no connection to send it on.
    public package(set) var isUnsent = false

    /// An error with its context.
    public init(code: String, message: String, hint: String? = nil, response: HTTPResponse? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.response = response
    }

    /// Whether the network, and not the server, is the reason: the request may succeed later as it is.
    public var isConnectivity: Bool { code == Self.offline.code || code == Self.timeout.code }
}

extension HTTPError {
    /// The URL cannot be requested.
    public static let invalidURL = HTTPError.invalidURL("it is malformed")

    /// Plain http to a host that is not this machine; nothing was sent.
    public static let insecureURL = HTTPError(
        code: "insecureURL", message: "Plain http to another machine was refused.",
        hint: "Use https, or allow it in the client's initialiser if you know that the network is trusted.")

    /// A header field that would break the message's framing.
    public static let invalidField = HTTPError.invalidField("?")

    /// No connection: no route, no such host, refused, reset.
    public static let offline = HTTPError.offline("The server could not be reached.")

    /// The time allowed has passed; whether the server has acted on the request cannot be known.
    public static let timeout = HTTPError(
        code: "timeout", message: "The server did not answer in time.", hint: "Try again, or allow more time.")

    /// The task was cancelled, and the transfer with it.
    public static let cancelled = HTTPError(code: "cancelled", message: "The request was cancelled.")

    /// The TLS handshake or the certificate's verification failed; no request was sent.
    public static let tls = HTTPError.tls("The server's certificate could not be verified.")

    /// The server's certificate is vouched for, and its key is none of those that the host may show.
    ///
    /// Somebody may be reading along, or the host has a new key and this client an old list. No request was sent.
    public static let pinMismatch = HTTPError.pinMismatch("The server showed a key that is not pinned.")

    /// The server wants a client certificate, or another one; no request was answered.
    public static let clientCertificateRefused = HTTPError.clientCertificateRefused(
        "The server did not accept this client's certificate.")

    /// Pins, a client certificate or the hosts that they are for cannot be used as they were given.
    public static let invalidTLSPolicy = HTTPError.invalidTLSPolicy("they are malformed")

    /// The content, or the head, is larger than allowed; the transfer was ended there.
    public static let tooLarge = HTTPError(
        code: "tooLarge", message: "The content is larger than allowed.", hint: "Raise the limit where it is set.")

    /// A stream of content was to be read a second time, and cannot be.
    public static let streamSpent = HTTPError(
        code: "streamSpent", message: "The content can be read only once, and was.",
        hint: "Give content that can be opened again, such as a file, where a request may have to be repeated.")

    /// A source of content gave more or less than the length that it was announced with; nothing of it counts.
    public static let lengthMismatch = HTTPError(
        code: "lengthMismatch", message: "The content is not as long as announced.",
        hint: "Announce the length that the source gives, or none.")

    /// A file that was to be sent cannot be read, or one that was to be written cannot be made.
    public static let fileUnavailable = HTTPError.fileUnavailable("A file could not be opened.")

    /// A file changed while it was sent, so that what was sent is neither the old content nor the new.
    public static let fileChanged = HTTPError(
        code: "fileChanged", message: "The file changed while it was read.",
        hint: "Send a copy, or wait until nobody writes to the file.")

    /// The content is no longer the one that a broken transfer had begun with.
    public static let contentChanged = HTTPError(
        code: "contentChanged", message: "The content changed at the server while it was downloaded.",
        hint: "Download it again.")

    /// The peer broke the protocol.
    public static let malformedMessage = HTTPError.malformedMessage("The message breaks HTTP's rules.")

    /// The status is not a success and the route has no other use for it.
    public static let unacceptableStatus = HTTPError(
        code: "unacceptableStatus", message: "The server did not answer with success.")

    /// The content is not what the route expects.
    public static let undecodable = HTTPError.undecodable("The content has another shape.", response: nil)

    /// The content of a route has no spelling in JSON, such as a number that is not finite.
    public static let unencodable = HTTPError.unencodable("it is malformed.")

    /// More redirects than allowed, or one that leads nowhere.
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

    package static func offline(_ what: String) -> HTTPError {
        HTTPError(code: "offline", message: what, hint: "Check the network and the address, then try again.")
    }

    package static func tls(_ what: String) -> HTTPError {
        HTTPError(code: "tls", message: what, hint: "Check the certificate, the host name and this machine's clock.")
    }

    package static func pinMismatch(_ what: String) -> HTTPError {
        HTTPError(
            code: "pinMismatch", message: what,
            hint: "Do not go on over this network; compare the host's key with the pins in use.")
    }

    package static func clientCertificateRefused(_ what: String) -> HTTPError {
        HTTPError(
            code: "clientCertificateRefused", message: what,
            hint: "Check which certificate the server expects, its validity, and for which hosts it is given here.")
    }

    package static func invalidTLSPolicy(_ why: String) -> HTTPError {
        HTTPError(
            code: "invalidTLSPolicy", message: "The TLS settings cannot be used: \(why).",
            hint: "Compare pins, certificates, passphrases and host names with what the server's owner gave you.")
    }

    /// A mail server's answer of 500 and more; it says so again however often it is asked.
    package static func mailRefused(_ code: Int) -> HTTPError {
        HTTPError(
            code: "mailRefused", message: "The mail server refused the message (\(code)).",
            hint: "Check the addresses, and the user and password for the mail server.")
    }

    package static func redirectRefused(_ what: String) -> HTTPError {
        HTTPError(code: "redirectRefused", message: what, hint: redirectRefused.hint)
    }

    package static func malformedMessage(_ what: String) -> HTTPError {
        HTTPError(code: "malformedMessage", message: what)
    }

    package static func unacceptableStatus(_ response: HTTPResponse) -> HTTPError {
        HTTPError(
            code: unacceptableStatus.code, message: "The server answered with status \(response.status).",
            response: response)
    }

    package static func unencodable(_ what: String) -> HTTPError {
        HTTPError(
            code: "unencodable", message: "The content could not be written: \(what)",
            hint: "Compare the route's value with what its encoder allows.")
    }

    package static func undecodable(_ what: String, response: HTTPResponse?) -> HTTPError {
        HTTPError(
            code: "undecodable", message: "The answer could not be read: \(what)",
            hint: "Compare the route's type with what the server sends.", response: response)
    }
}
