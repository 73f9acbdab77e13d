// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
public import LatchIdentityStorage
public import LatchCore

extension IdentityConfiguration {
    /// Returns the mailer of the settings: files in `mail_directory`; this platform has no SMTP submission.
    ///
    /// - Throws: `IdentityError.invalidSetting`.
    public func mailer(clock: WallClock = .system) throws(IdentityError) -> any Mailer {
        if let mailDirectory { return FileMailer(folder: mailDirectory, sender: mailSender, clock: clock) }
        guard smtpURL == nil else { throw .invalidSetting("smtp_url", "left out on this platform") }
        return UnconfiguredMailer()
    }

    /// Returns the mailer of the settings; this platform trusts only the authorities of its keychain.
    ///
    /// - Throws: `IdentityError.invalidSetting`.
    package func mailer(trusting authorityFile: String?) throws(IdentityError) -> any Mailer { try mailer() }

    /// Accepts any text: ``mailer(clock:)`` says that this platform has no mail server.
    static func checkMailServer(_ url: String) throws(SettingProblem) {}
}
#endif
