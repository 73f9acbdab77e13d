// SPDX-License-Identifier: Apache-2.0

import LatchServer

/// Something that the settings allow and that a person may not have meant.
struct ServeWarning: Sendable, Hashable {
    let message: String
    let hint: String

    /// The warnings of a server that is about to serve.
    ///
    /// In the order in which they are printed, to standard error, once, before the line that says where it serves.
    static func all(_ settings: Settings, _ configuration: Server.Configuration) -> [ServeWarning] {
        var warnings: [ServeWarning] = []
        if settings["mail_directory"].isEmpty, settings["smtp_url"].isEmpty { warnings.append(.noMailer) }
        if !settings["admin_listen"].isEmpty { warnings.append(.noAdministration) }
        if configuration.tls == nil, !ListenAddress(of: configuration).isLoopback {
            warnings.append(.plainText(configuration.host))
        }
        return warnings
    }

    /// A server without mail serves, for that is how one begins; nobody should find out by a forgotten password.
    static let noMailer = ServeWarning(
        message: "No mails can be sent, so nobody can verify an address or reset a password.",
        hint: "Set smtp_url, or mail_directory to have mails written as files.")

    /// Said at every start: who sets it believes that something listens there, and may have opened a firewall for it.
    static let noAdministration = ServeWarning(
        message: "admin_listen has no effect in this version.",
        hint: "The administration comes in a later round; until then nothing listens there.")

    /// It is a warning and no error, since a proxy in front of it may speak TLS.
    static func plainText(_ host: String) -> ServeWarning {
        ServeWarning(
            message: "Passwords and tokens cross the network unencrypted: other machines reach \(host).",
            hint: "Set tls_certificate and tls_key, or listen on 127.0.0.1 behind a proxy that speaks TLS.")
    }
}
