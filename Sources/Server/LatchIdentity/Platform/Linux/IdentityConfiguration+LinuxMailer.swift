// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import LatchCore

extension IdentityConfiguration {
    /// Returns the mailer of the settings: files in `mail_directory`, or else the server of `smtp_url`.
    ///
    /// Without either, mails fail and are counted as failed; sign-up and login work without them.
    ///
    /// - Throws: `IdentityError.invalidSetting`.
    public func mailer(clock: WallClock = .system) throws(IdentityError) -> any Mailer {
        try mailer(trusting: nil, clock: clock)
    }

    /// Returns the mailer of the settings.
    ///
    /// - Parameter authorityFile: The PEM file of the authorities that its server's certificate may be from; nil for the system's.
    /// - Throws: `IdentityError.invalidSetting`.
    package func mailer(
        trusting authorityFile: String?, clock: WallClock = .system
    ) throws(IdentityError) -> any Mailer {
        if let mailDirectory { return FileMailer(folder: mailDirectory, sender: mailSender, clock: clock) }
        guard let smtpURL else { return UnconfiguredMailer() }
        return try SMTPMailer(url: smtpURL, sender: mailSender, clock: clock, trusting: authorityFile)
    }
}
#endif
