// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
public import LatchCore

extension IdentityConfiguration {
    /// The mailer that the settings ask for: files in `mail_directory`; on this platform there is no submission by SMTP.
    ///
    /// - Throws: `IdentityError.invalidSetting`.
    public func mailer(clock: WallClock = .system) throws(IdentityError) -> any Mailer {
        if let mailDirectory { return FileMailer(folder: mailDirectory, sender: mailSender, clock: clock) }
        guard smtpURL == nil else { throw .invalidSetting("smtp_url", "left out on this platform") }
        return NoMailer()
    }
}
#endif
