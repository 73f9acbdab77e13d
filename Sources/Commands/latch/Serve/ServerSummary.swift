// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchFoundation
import LatchIdentity

/// The settings that a developer at a terminal needs after the start of a server.
struct ServerSummary {
    let settings: Settings
    /// The public URL.
    let issuer: String
    /// Whether this start has created the file of the store.
    let isNewStore: Bool
    /// The page of the emails; nil without `--dev`.
    let mailPage: String?
    /// The link that makes the first administrator; nil if there is one.
    let firstAdministratorLink: String?

    func text(_ style: TextStyle) -> String {
        let rows = [
            ("Issuer", issuer), ("Store", store), ("Emails", emails),
            firstAdministratorLink.map {
                ("Administrator", "none yet; become the first one within a day:\n    \($0)")
            } ?? ("Administration", "\(issuer.utf8.last == UInt8(ascii: "/") ? issuer : issuer + "/")admin"),
        ]
        let lines = rows.map { name, value in
            "  " + style.heading(name) + String(repeating: " ", count: 16 - name.count)
                + value.split(separator: "\n").map { String($0).printable }.joined(separator: "\n")
        }
        return lines.joined(separator: "\n") + "\n" + style.dim("Press Control-C to stop.") + "\n"
    }

    private var store: String {
        let text = StoreLocation.redacted(settings.configuration.store.text)
        return isNewStore ? "\(text) (a new file)" : text
    }

    private var emails: String {
        let identity = settings.configuration.identity
        if let mailPage { return "kept on the page \(mailPage), and not sent" }
        if let hook = identity.mailHook { return "offered to the hook \(hook.name)" }
        if let folder = identity.mailDirectory { return "written into the folder \(folder)" }
        guard let url = identity.smtpURL else { return "not sent; set smtp_url or mail_directory" }
        return "sent through \(Self.host(of: url))"
    }

    /// Returns the host and the port of a mail server's URL, without the user's name and password.
    private static func host(of url: String) -> String {
        let rest = url.utf8.firstRange(of: "://".utf8).map { url.utf8[$0.upperBound...] } ?? url.utf8[...]
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let start = authority.lastIndex(of: UInt8(ascii: "@")).map { authority.index(after: $0) }
        return String(Substring(start.map { authority[$0...] } ?? authority))
    }
}
