// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CCurl
import CCurlShim

/// A client for mail submission (RFC 6409).
///
/// The connection is encrypted, by `smtps://` or by STARTTLS, and the server's certificate verified; only a server on
/// this machine may be unencrypted.
package struct SMTPSubmission: Sendable {
    private let user: String?
    private let password: String?
    private let timeout: Duration
    private let certificateAuthorityFile: String?

    /// Creates a submission with the client's credentials and limits.
    package init(
        user: String? = nil, password: String? = nil, timeout: Duration = .seconds(30),
        certificateAuthorityFile: String? = nil
    ) {
        self.user = user
        self.password = password
        self.timeout = timeout
        self.certificateAuthorityFile = certificateAuthorityFile
    }

    /// Submits a message to all recipients or to none.
    ///
    /// - Parameters:
    ///   - message: The header fields and content (RFC 5322); line ends become CRLF.
    ///   - sender: The envelope sender's address, without a display name.
    ///   - recipients: The envelope recipients' addresses.
    ///   - url: `smtp://host:port` or `smtps://host:port`.
    /// - Throws: `HTTPError`: `offline` if a later attempt may succeed, `mailRefused` if it will not, `timeout`, `tls`,
    ///   `cancelled`, `invalidURL`, or `invalidField` for an address.
    package func send(
        message: [UInt8], from sender: String, to recipients: [String], via url: String
    ) async throws(HTTPError) {
        let server = try MailServer(url)
        for address in [sender] + recipients where !MailServer.isAddress(address) { throw .invalidField("address") }
        guard !recipients.isEmpty else { throw .invalidField("recipients") }
        let loop = try CurlLoop.start(configuration: CurlTransport.Configuration())
        defer { loop.stop() }
        guard let easy = curl_easy_init() else { throw .offline("libcurl could not be started.") }
        let transfer = CurlTransfer(easy: easy, limits: CurlLimits(collected: 1 << 16))
        let content = MailContent(message)
        let envelope = MailEnvelope(recipients: recipients)
        let code = prepare(transfer, server, sender: sender, envelope, content)
        guard code == CURLE_OK else { throw CurlFailure.error(code, authority: server.authority) }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { loop.submit(transfer, resuming: $0) }
        } onCancel: {
            loop.cancel(transfer)
        }
        try withExtendedLifetime((content, envelope)) { () throws(HTTPError) in try check(transfer, server) }
    }

    /// Throws the error of a failed submission; the server's reply is more specific than libcurl's code.
    private func check(_ transfer: CurlTransfer, _ server: MailServer) throws(HTTPError) {
        guard !transfer.isCancelled else { throw .cancelled }
        guard let outcome = transfer.outcome, outcome != CURLE_OK else { return }
        let reply = latch_curl_reply_code(transfer.easy)
        // RFC 5321 §4.2.1: 4xx is temporary, 5xx is not.
        if reply >= 500 { throw .mailRefused(reply) }
        if reply >= 400 { throw .offline("\(server.authority) takes no mail at the moment (\(reply)).") }
        throw CurlFailure.error(outcome, authority: server.authority)
    }

    /// Configures the handle.
    ///
    /// libcurl copies the strings but reads content and envelope later, so both must outlive the transfer.
    private func prepare(
        _ transfer: CurlTransfer, _ server: MailServer, sender: String, _ envelope: MailEnvelope, _ content: MailContent
    ) -> CURLcode {
        var mail = latch_curl_mail()
        mail.transfer = transfer.pointer
        mail.on_reply = CurlTransfer.onHead
        mail.on_read = MailContent.onRead
        mail.content = Unmanaged.passUnretained(content).toOpaque()
        mail.content_size = Int64(content.count)
        mail.recipients = envelope.list
        mail.requires_tls = server.isLoopback ? 0 : 1
        mail.timeout_ms = timeout.wholeMilliseconds
        return withCStrings([server.url, "<\(sender)>", user, password, certificateAuthorityFile]) { texts in
            mail.url = texts[0]
            mail.sender = texts[1]
            mail.user = texts[2]
            mail.password = texts[3]
            mail.authorities = texts[4]
            return latch_curl_prepare_mail(transfer.easy, &mail)
        }
    }
}

/// The address of a mail server, and the validation of envelope addresses.
struct MailServer {
    /// The URL for libcurl, without a path, which it would use as the EHLO name.
    let url: String
    /// The host and port as they were given, for messages.
    let authority: String
    /// Whether the server is this machine, so that TLS is not required.
    let isLoopback: Bool

    /// Parses a URL.
    ///
    /// - Throws: `HTTPError.invalidURL` for anything but `smtp://host[:port]` and `smtps://host[:port]`.
    init(_ url: String) throws(HTTPError) {
        guard let separator = url.firstRange(of: "://"),
            ["smtp", "smtps"].contains(url[..<separator.lowerBound].lowercased())
        else { throw .invalidURL("a mail server's begins with smtp:// or smtps://") }
        var rest = url[separator.upperBound...]
        if rest.last == "/" { rest.removeLast() }
        guard !rest.contains("/") else { throw .invalidURL("a mail server's has no path") }
        // The rules for host and port are those of http; the default ports are not used.
        let origin = try HTTPOrigin.split("http://\(rest)").origin
        self.url = String(url[..<separator.upperBound] + rest)
        authority = String(rest)
        isLoopback = origin.isLoopback
    }

    /// Whether an address may be part of a command (RFC 5321 §4.1.2, without quoted names and address literals).
    static func isAddress(_ address: String) -> Bool {
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        // RFC 5321 §4.5.3.1: size limits.
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, parts[0].utf8.count <= 64,
            address.utf8.count <= 254
        else { return false }
        let isHost = parts[1].utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E: true
            default: false
            }
        }
        let isName = parts[0].utf8.allSatisfy { isTokenByte($0) || [0x2F, 0x3D, 0x3F, 0x7B, 0x7D].contains($0) }
        return isHost && isName
    }
}

/// The content of a mail message, which libcurl reads in chunks; libcurl itself performs the dot-stuffing.
private final class MailContent: @unchecked Sendable {
    private let bytes: [UInt8]
    private var offset = 0

    /// Creates content with CRLF line ends; CR and LF occur in no other way (RFC 5321 §2.3.8).
    init(_ message: [UInt8]) {
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
        bytes = lines
    }

    /// The number of bytes after the normalization of line ends, which is announced as SIZE (RFC 1870).
    var count: Int { bytes.count }

    /// Copies the next chunk; returns 0 at the end.
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let piece = bytes[offset...].prefix(buffer.count)
        buffer.copyBytes(from: piece)
        offset += piece.count
        return piece.count
    }

    /// Called by libcurl for the next chunk, on the driver's thread.
    static let onRead: curl_read_callback = { buffer, size, count, context in
        guard let buffer, let context else { return Int(CURL_READFUNC_ABORT) }
        let content = Unmanaged<MailContent>.fromOpaque(context).takeUnretainedValue()
        return content.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
    }
}

/// The list of recipients that libcurl reads while it sends; it frees its nodes.
private final class MailEnvelope: @unchecked Sendable {
    private(set) var list: UnsafeMutablePointer<curl_slist>?

    /// Creates a list of validated addresses: an angle bracket in one would inject another command argument.
    init(recipients: [String]) {
        for recipient in recipients { list = curl_slist_append(list, "<\(recipient)>") ?? list }
    }

    deinit { curl_slist_free_all(list) }
}
#endif
