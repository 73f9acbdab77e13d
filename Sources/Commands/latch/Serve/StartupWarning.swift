// SPDX-License-Identifier: Apache-2.0

import LatchServer

/// A warning about settings that are valid but probably unintended.
struct StartupWarning: Sendable, Hashable {
    let message: String
    let hint: String

    /// Returns the warnings of a server that is about to serve, in the order in which they are printed.
    static func all(_ settings: Settings, _ configuration: Server.Configuration) -> [StartupWarning] {
        var warnings: [StartupWarning] = []
        if settings["mail_directory"].isEmpty, settings["smtp_url"].isEmpty { warnings.append(.noMailer) }
        if configuration.tls == nil, !ListenAddress(of: configuration).isLoopback {
            warnings.append(.plainText(configuration.host))
        }
        return warnings
    }

    /// The warning of a server without mail, which is useful for a trial only.
    static let noMailer = StartupWarning(
        message: "No mails can be sent, so users cannot verify an address or reset a password.",
        hint: "Set smtp_url, or mail_directory to have mails written as files.")

    /// Returns the warning of a server without TLS; it is not an error, since a proxy may terminate TLS.
    static func plainText(_ host: String) -> StartupWarning {
        StartupWarning(
            message: "Passwords and tokens cross the network unencrypted: other machines reach \(host).",
            hint: "Set tls_certificate and tls_key, or listen on 127.0.0.1 behind a proxy that speaks TLS.")
    }
}
