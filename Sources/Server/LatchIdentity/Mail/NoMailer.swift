// SPDX-License-Identifier: Apache-2.0

/// What there is where no mail server and no folder is configured.
struct NoMailer: Mailer {
    /// Always fails, which the metric of failed mails shows, so that a server without mail does not look like one with
    /// it.
    func send(_ message: MailMessage) async throws {
        throw IdentityError.mailNotSent("neither mail_directory nor smtp_url is set")
    }
}
