// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import CCurlShim

/// Hands messages to a mail server (RFC 6409).
///
/// The connection is encrypted, by `smtps://` or by STARTTLS, and the server's certificate verified; only a server on
/// this machine is spoken to as it is.
package struct SMTPSubmission: Sendable {
    private let user: String?
    private let password: String?
    private let timeout: Duration
    private let certificateAuthorityFile: String?

    /// A submission with what the mail server wants to know of its client.
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
    ///   - message: Fields and content as in RFC 5322; line ends become CRLF.
    ///   - sender: The envelope's address, without a display name.
    ///   - recipients: The envelope's addresses.
    ///   - url: `smtp://host:port` or `smtps://host:port`.
    /// - Throws: `HTTPError`: `offline` where trying again later may help, `mailRefused` where it will not, `timeout`,
    ///   `tls`, `cancelled`, `invalidURL`, or `invalidField` for an address.
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

    /// Turns the outcome into an error of ours; the server's reply says more than libcurl's code.
    private func check(_ transfer: CurlTransfer, _ server: MailServer) throws(HTTPError) {
        guard !transfer.isCancelled else { throw .cancelled }
        guard let outcome = transfer.outcome, outcome != CURLE_OK else { return }
        let reply = latch_curl_reply_code(transfer.easy)
        // RFC 5321 §4.2.1: 4xx is temporary, 5xx is not.
        if reply >= 500 { throw .mailRefused(reply) }
        if reply >= 400 { throw .offline("\(server.authority) takes no mail at the moment (\(reply)).") }
        throw CurlFailure.error(outcome, authority: server.authority)
    }

    /// Fills in the handle.
    ///
    /// libcurl copies the strings; content and envelope it reads later, so they must outlive this.
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
#endif
