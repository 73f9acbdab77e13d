// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LatchCore
import CLatchCurl
import CLatchCurlShim

/// A client for email submission (RFC 6409).
///
/// The connection is encrypted, by `smtps://` or by STARTTLS, and the server's certificate is verified. Only a server
/// on this machine may be unencrypted. If such a server offers STARTTLS, which it may require for a password, its
/// certificate is not verified. Verification would reject more than a connection without encryption does (RFC 7435 §3).
package struct SMTPSubmission: Sendable {
    private let user: String?
    private let password: String?
    /// The name that this machine sends to the server; nil for the system's name.
    private let helloName: String?
    private let timeout: Duration
    private let certificateAuthorityFile: String?

    /// Creates a submission with the client's credentials and limits.
    ///
    /// - Parameters:
    ///   - helloName: The domain name in EHLO (RFC 5321 §4.1.1.1); nil for the name of the machine.
    ///   - timeout: The time limit for the session up to the end of the message. The server then has ``replyLimit`` to
    ///     reply.
    package init(
        user: String? = nil, password: String? = nil, helloName: String? = nil, timeout: Duration = .seconds(30),
        certificateAuthorityFile: String? = nil
    ) {
        self.user = user
        self.password = password
        self.helloName = helloName
        self.timeout = timeout
        self.certificateAuthorityFile = certificateAuthorityFile
    }

    /// The time limit for the reply to a whole message, which scanners delay (RFC 5321 §4.5.3.2.6).
    ///
    /// A client that stops earlier does not know whether the email was accepted, and sends it again.
    package static let replyLimit = Duration.seconds(600)

    /// Checks the URL of a mail server.
    ///
    /// - Throws: `HTTPError.invalidURL` for anything but `smtp://host[:port]` and `smtps://host[:port]`.
    package static func check(_ url: String) throws(HTTPError) { _ = try MailServer(url) }

    /// Submits a message to all recipients or to none.
    ///
    /// - Parameters:
    ///   - message: The header fields and content (RFC 5322); line ends become CRLF.
    ///   - sender: The envelope sender's address, without a display name.
    ///   - recipients: The envelope recipients' addresses.
    ///   - url: `smtp://host:port` or `smtps://host:port`.
    /// - Throws: `HTTPError`: `offline` if a later attempt may succeed, even after a rejection of this client or its
    ///   sender. `mailRefused` if it will not. Also `timeout`, `tls`, `cancelled`, `invalidURL`, or `invalidField` for
    ///   an address.
    package func send(
        message: [UInt8], from sender: String, to recipients: [String], via url: String
    ) async throws(HTTPError) {
        let server = try MailServer(url)
        for address in [sender] + recipients where !MailServer.isAddress(address) { throw .invalidField("address") }
        guard !recipients.isEmpty else { throw .invalidField("recipients") }
        // The addresses were checked: an angle bracket in one would inject another command argument.
        var envelope: UnsafeMutablePointer<curl_slist>?
        for recipient in recipients { envelope = curl_slist_append(envelope, "<\(recipient)>") ?? envelope }
        defer { curl_slist_free_all(envelope) }
        let transfer = try await perform(with: server, upload: UploadBuffer(Self.withCRLF(message))) { options in
            options.set(CURLOPT_MAIL_FROM, text: "<\(sender)>")
            options.set(CURLOPT_MAIL_RCPT, pointer: envelope)
            options.set(CURLOPT_UPLOAD, true)
            options.set(CURLOPT_READFUNCTION, pointer: unsafeBitCast(Self.onMessage, to: UnsafeRawPointer.self))
        }
        guard transfer.outcome != CURLE_OK else { return }
        throw error(of: transfer, SMTPReplies(transfer.head), server)
    }

    /// Connects, encrypts and signs in as for a message, and sends the sender, but no recipient.
    ///
    /// QUIT follows, which ends the unfinished email (RFC 5321 §4.1.1.10).
    ///
    /// - Throws: The errors of ``send(message:from:to:via:)``, and `offline` if there is a user and the server does not
    ///   offer sign-in.
    package func checkConnection(from sender: String, to url: String) async throws(HTTPError) {
        let server = try MailServer(url)
        guard MailServer.isAddress(sender) else { throw .invalidField("address") }
        let transfer = try await perform(with: server, upload: nil) { options in
            // Without recipients, libcurl sends this command, in which it decodes percent signs; without a command it
            // sends HELP.
            let encoded = sender.utf8.map { $0 == UInt8(ascii: "%") ? "%25" : String(UnicodeScalar($0)) }.joined()
            options.set(CURLOPT_CUSTOMREQUEST, text: "MAIL FROM:<\(encoded)>")
            options.set(CURLOPT_NOBODY, true)
        }
        let replies = SMTPReplies(transfer.head)
        // libcurl treats a reply 553 to such a command as a success.
        guard transfer.outcome == CURLE_OK, replies.hasTakenSender, user == nil || replies.offersSignIn else {
            throw error(of: transfer, replies, server)
        }
    }

    /// Runs a transfer to its end, and returns it, unless it could not begin or was canceled.
    ///
    /// The password is sent in plain form if the server accepts that, since the connection is encrypted or local.
    /// Servers also offer challenges for which they have no secrets, and libcurl prefers those.
    private func perform(
        with server: MailServer, upload: UploadBuffer?, _ configure: (inout CurlOptions) -> Void
    ) async throws(HTTPError) -> CurlTransfer {
        let transfer = try await attempt(with: server, mechanisms: "AUTH=PLAIN;AUTH=LOGIN", upload: upload, configure)
        // libcurl has found no mechanism, and has sent no password.
        guard transfer.outcome == CURLE_LOGIN_DENIED, SMTPReplies(transfer.head).code < 400 else { return transfer }
        return try await attempt(with: server, mechanisms: "AUTH=*", upload: upload, configure)
    }

    private func attempt(
        with server: MailServer, mechanisms: String, upload: UploadBuffer?,
        _ configure: (inout CurlOptions) -> Void
    ) async throws(HTTPError) -> CurlTransfer {
        let configuration = CurlTransport.Configuration()
        let loop = try CurlLoop.start(configuration: configuration)
        defer { loop.stop() }
        guard let easy = curl_easy_init() else { throw .offline("libcurl could not be started.") }
        let transfer = CurlTransfer(easy: easy, configuration: configuration)
        transfer.upload = upload
        transfer.mail = .dialogue(bytesLeft: upload?.length ?? 0)
        let code = prepare(transfer, server) { options in
            if user != nil { options.set(CURLOPT_LOGIN_OPTIONS, text: mechanisms) }
            configure(&options)
        }
        guard code == CURLE_OK else { throw CurlFailure.error(code, authority: server.authority) }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { loop.submit(transfer, resuming: $0) }
        } onCancel: {
            loop.cancel(transfer)
        }
        guard !transfer.isCancelled else { throw .cancelled }
        return transfer
    }

    /// Returns the error of a failed submission; the server's reply is more specific than libcurl's code.
    private func error(of transfer: CurlTransfer, _ replies: SMTPReplies, _ server: MailServer) -> HTTPError {
        if let reason = rejection(replies.code) { return .offline("\(server.authority) \(reason) (\(replies.codes)).") }
        if user != nil, replies.isGreeted, !replies.offersSignIn, transfer.outcome == CURLE_OK || replies.code >= 400 {
            return .offline("\(server.authority) does not offer sign-in (AUTH), but a user is configured.")
        }
        // RFC 5321 §4.2.1: 4xx is temporary, 5xx is not.
        if replies.code >= 500, replies.isAboutSender {
            return .offline("\(server.authority) refuses this server or its sender (\(replies.codes)).")
        }
        if replies.code >= 500 { return .mailRefused(replies.codes) }
        if replies.code >= 400 {
            return .offline("\(server.authority) does not accept mail at the moment (\(replies.codes)).")
        }
        if transfer.isOutOfDescriptors { return .tooManyOpenFiles }
        return CurlFailure.error(
            transfer.outcome ?? CURLE_OK, authority: server.authority,
            errorBuffer: String(cString: transfer.errorBuffer))
    }

    /// Returns the server's rejection of the user, which the operator can fix; nil for other replies.
    ///
    /// RFC 4954 §6, RFC 3207 §4.
    private func rejection(_ reply: Int) -> String? {
        switch reply {
        case 530 where user == nil: "requires a user and password, or TLS"
        case 530: "requires TLS before the user and password"
        case 534, 538: "requires TLS, or another way to sign in"
        case 535: "does not accept the user and password"
        default: nil
        }
    }

    /// Configures the handle; libcurl copies the texts and reads the envelope during the transfer.
    private func prepare(
        _ transfer: CurlTransfer, _ server: MailServer, _ configure: (inout CurlOptions) -> Void
    ) -> CURLcode {
        let pointer = transfer.pointer
        var options = CurlOptions(of: transfer.easy)
        options.set(CURLOPT_NOSIGNAL, true)
        options.set(CURLOPT_PROTOCOLS_STR, text: "smtp,smtps")
        options.set(CURLOPT_NETRC, latch_curl_no_netrc)
        options.set(CURLOPT_PROXY, text: "")
        // As in `CurlTransferPool`: the end of a transfer does not wait for the name of its host.
        options.set(CURLOPT_QUICK_EXIT, true)
        options.set(CURLOPT_PRIVATE, pointer: pointer)
        options.set(CURLOPT_ERRORBUFFER, pointer: transfer.errorBuffer)
        options.set(CURLOPT_HEADERFUNCTION, Self.onReply, CURLOPT_HEADERDATA, pointer)
        options.set(CURLOPT_WRITEFUNCTION, Self.onContent, CURLOPT_WRITEDATA, nil)
        // The path is the name in EHLO.
        options.set(CURLOPT_URL, text: helloName.map { "\(server.url)/\($0)" } ?? server.url)
        // Optional TLS does not protect from an attacker who can modify the connection.
        let mayBePlain = server.isLoopback && !server.hasImplicitTLS
        options.set(CURLOPT_USE_SSL, mayBePlain ? latch_curl_with_offered_tls : latch_curl_with_tls)
        options.set(CURLOPT_SSL_VERIFYPEER, !mayBePlain)
        options.set(CURLOPT_SSL_VERIFYHOST, mayBePlain ? 0 : 2)
        options.setAuthorities(certificateAuthorityFile)
        options.set(CURLOPT_USERNAME, text: user)
        options.set(CURLOPT_PASSWORD, text: password)
        configure(&options)
        options.set(CURLOPT_READDATA, pointer: pointer)
        // Announced as SIZE (RFC 1870).
        options.set(CURLOPT_INFILESIZE_LARGE, size: transfer.upload?.length ?? -1)
        options.set(CURLOPT_TIMEOUT_MS, timeout.wholeMilliseconds)
        options.set(CURLOPT_SERVER_RESPONSE_TIMEOUT, Int(Self.replyLimit.components.seconds))
        return options.code
    }

    /// The maximum number of bytes that are kept of a server's replies.
    private static let maximumReplies = 65_536

    /// Called by libcurl for each line of a reply.
    private static let onReply: curl_write_callback = { bytes, size, count, pointer in
        guard let bytes, let pointer else { return 0 }
        let transfer = Unmanaged<CurlTransfer>.fromOpaque(pointer).takeUnretainedValue()
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        // The email is accepted or rejected, and the reply to QUIT does not change that.
        if case .sent = transfer.mail { _ = latch_curl_set_long(transfer.easy, CURLOPT_SERVER_RESPONSE_TIMEOUT, 10) }
        // No known server replies with so much, and the last replies matter.
        if transfer.head.count + line.count > Self.maximumReplies { return 0 }
        transfer.head.append(contentsOf: line)
        return line.count
    }

    /// Called by libcurl for the message; after its end only the limit of the reply applies.
    private static let onMessage: curl_read_callback = { buffer, size, count, context in
        guard let buffer, let context else { return Int(CURL_READFUNC_ABORT) }
        let transfer = CurlTransfer.of(context)
        let read = CurlTransfer.onUpload(buffer, size, count, context)
        // libcurl requests at most the announced length; its codes for a pause and an end are larger than a buffer.
        if case .dialogue(let left) = transfer.mail, read <= size * count {
            transfer.mail = left > read ? .dialogue(bytesLeft: left - read) : .sent
        }
        if case .sent = transfer.mail { _ = latch_curl_set_long(transfer.easy, CURLOPT_TIMEOUT_MS, 0) }
        return read
    }

    /// Called by libcurl for content, which a submission does not have.
    private static let onContent: curl_write_callback = { _, size, count, _ in size * count }

    /// Returns a message with CRLF line ends; CR and LF occur in no other way (RFC 5321 §2.3.8).
    private static func withCRLF(_ message: [UInt8]) -> [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(message.count + 64)
        var previous: UInt8 = 0
        for byte in message {
            switch byte {
            case 0x0A where previous == 0x0D: break
            case 0x0A, 0x0D: lines += [0x0D, 0x0A]
            default: lines.append(byte)
            }
            previous = byte
        }
        return lines
    }
}

extension CurlTransfer {
    /// The phase of an email's submission.
    enum MailPhase {
        case dialogue(bytesLeft: Int)
        /// The whole message is handed to libcurl, and its reply is awaited.
        case sent
    }
}

/// The address of a mail server, and the validation of envelope addresses.
struct MailServer {
    /// The URL for libcurl, without a path, since libcurl uses the path as the EHLO name.
    let url: String
    /// The host and port as they were given, for messages.
    let authority: String
    /// Whether the server is this machine, so that TLS is not required.
    let isLoopback: Bool
    /// Whether the connection begins with TLS (RFC 8314 §3.3).
    let hasImplicitTLS: Bool

    /// Parses a URL.
    ///
    /// - Throws: `HTTPError.invalidURL` for anything but `smtp://host[:port]` and `smtps://host[:port]`.
    init(_ url: String) throws(HTTPError) {
        let separator = url.utf8.firstRange(of: "://".utf8)
        let scheme = separator.map { url[..<$0.lowerBound].lowercasedASCII() }
        guard let separator, let scheme, ["smtp", "smtps"].contains(scheme) else {
            throw .invalidURL("the URL of a mail server must begin with smtp:// or smtps://")
        }
        var rest = url[separator.upperBound...]
        if rest.utf8.last == 0x2F { rest = Substring(rest.utf8.dropLast()) }
        guard !rest.utf8.contains(0x2F) else { throw .invalidURL("the URL of a mail server must not have a path") }
        // The rules for host and port are those of http; the default ports are not used.
        let origin = try HTTPOrigin.split("http://\(rest)").origin
        self.url = String(url[..<separator.upperBound] + rest)
        authority = String(rest)
        isLoopback = origin.isLoopback
        hasImplicitTLS = scheme == "smtps"
    }

    /// Whether an address may be part of a command (RFC 5321 §4.1.2, without quoted names and address literals).
    static func isAddress(_ address: String) -> Bool {
        let parts = address.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        // RFC 5321 §4.5.3.1: size limits.
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, parts[0].count <= 64,
            address.utf8.count <= 254
        else { return false }
        return parts[0].allSatisfy { isTokenByte($0) || "/=?{}".utf8.contains($0) }
            && parts[1].allSatisfy { isAlphanumeric($0) || $0 == 0x2D || $0 == 0x2E }
    }
}

#endif
