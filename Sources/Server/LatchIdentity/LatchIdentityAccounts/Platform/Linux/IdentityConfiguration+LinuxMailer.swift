// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import LatchIdentityStorage
public import LatchCore
import LatchHTTP

extension IdentityConfiguration {
    /// Returns the mailer of the settings: files in `mail_directory`, or else the server of `smtp_url`.
    ///
    /// Without either setting, emails fail and are counted as failed; sign-up and login still work.
    ///
    /// - Throws: `IdentityError.invalidSetting`.
    public func mailer(clock: WallClock = .system) throws(IdentityError) -> any Mailer {
        try mailer(trusting: nil, clock: clock)
    }

    /// Returns the mailer of the settings.
    ///
    /// - Parameter authorityFile: The PEM file of the authorities for the mail server's certificate; nil for the
    ///   system's.
    /// - Throws: `IdentityError.invalidSetting`.
    package func mailer(
        trusting authorityFile: String?, clock: WallClock = .system
    ) throws(IdentityError) -> any Mailer {
        if let mailDirectory { return FileMailer(folder: mailDirectory, sender: mailSender, clock: clock) }
        guard let smtpURL else { return UnconfiguredMailer() }
        return try SMTPMailer(
            url: smtpURL, sender: mailSender, helloName: helloName, clock: clock,
            trusting: authorityFile)
    }

    /// Checks the URL of a mail server.
    ///
    /// - Throws: `SettingProblem`, which does not quote the URL.
    static func checkMailServer(_ url: String) throws(SettingProblem) { _ = try SMTPMailer.parts(of: url) }

    /// The name in EHLO; nil for that of the machine, which a mail server may refuse for want of a dot.
    private var helloName: String? {
        if let mailHelloName { return mailHelloName }
        let sender = Mailbox(mailSender)?.address.utf8
        let domain = sender.flatMap { address in
            address.lastIndex(of: UInt8(ascii: "@")).map { String(Substring(address[address.index(after: $0)...])) }
        }
        return [issuerHost, domain].compactMap(\.self).first(where: Self.isDomainName)
    }

    private var issuerHost: String? {
        guard let issuer else { return nil }
        // An issuer that is not a URL is refused elsewhere, with its setting; here it gives no name.
        do throws(HTTPError) { return try HTTPOrigin.split(issuer).origin.host } catch { return nil }
    }

    /// Whether a host is a name with a dot, and not an address.
    private static func isDomainName(_ host: String) -> Bool {
        let last = host.utf8.split(separator: UInt8(ascii: ".")).last ?? []
        return host.utf8.contains(UInt8(ascii: ".")) && host.isWord(maximum: 253, also: "-.")
            && last.contains { !(0x30...0x39).contains($0) }
    }
}
#endif
