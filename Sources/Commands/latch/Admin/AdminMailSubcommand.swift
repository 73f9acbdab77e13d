// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentity
import LatchTexts

/// `latch admin mail`: the emails of a server or of its store.
enum AdminMailSubcommand {
    static let subcommand = Subcommand(
        name: "mail", summary: "the server's emails: list, retry, preview, templates",
        examples: [
            "latch admin mail list --url https://id.example.com": "which emails wait",
            "latch admin mail preview previews": "look at the emails before users get them",
        ],
        subcommands: [list, retry, preview, templates])

    private static let limit = Option.value("limit", "COUNT", "at most so many emails (50)")

    private static let list = AdminCall.subcommand(
        "list", "shows the emails that wait, those with the next attempt first",
        discussion: "An email that the mail server has accepted is not in the list.",
        options: [limit], arguments: [],
        examples: ["latch admin mail list --store sqlite:latch.sqlite": "which emails wait"],
        routes: AdminCall.server
    ) { invocation in
        let limit =
            try invocation[limit].map { text throws(CommandError) in
                guard let number = Int(text), (1...100_000).contains(number) else {
                    throw CommandError.usage(
                        "--limit must be a whole number from 1 to 100000.", hint: "Leave it out for 50.")
                }
                return number
            } ?? 50
        return { server in
            let (mails, page) = try await server.list("mails", at: "api/admin/mails", limit: limit)
            let total = page["total"]?.intValue.map { Int($0) } ?? mails.count
            let rows = mails.map { mail -> [ListText.Cell] in
                [
                    .init(mail.string("recipient")), .init(mail.string("purpose")),
                    .init((mail["attempts"]?.intValue.map { Int($0) } ?? 0).counted("attempt")),
                    mail.dateCell("created_at", after: "since"), mail.dateCell("next_attempt_at", after: "next"),
                ]
            }
            let failing = page["failing"] == true ? " The mail server accepts none." : ""
            return (
                ListText(
                    headings: ["recipient", "purpose", "attempts", "since", "next attempt"], whole: ["recipient"],
                    rows: rows,
                    footer: rows.isEmpty ? "No emails wait." : "\(mails.count) of \(total.counted("email"))\(failing)"),
                [
                    "mails": .array(mails.map { .object($0) }), "total": .integer(Int64(total)),
                    "failing": page["failing"] ?? .null,
                ]
            )
        }
    }

    private static let retry = AdminCall.subcommand(
        "retry", "makes the emails that wait due now",
        discussion: "The server sends them, also those of a store that it uses.",
        arguments: [],
        examples: ["latch admin mail retry --url https://id.example.com": "after the mail server was repaired"],
        routes: AdminCall.server
    ) { _ in
        { server in
            try await server.perform(.post, "api/admin/mails/retry")
            return ("The server sends the emails that wait.", ["retried": true])
        }
    }

    private static let language = Option.value(
        "language", "LANGUAGE",
        "one of \(IdentityConfiguration.supportedLanguages.joined(separator: ", ")) (all of them)")

    private static let preview = Subcommand(
        name: "preview", summary: "writes examples of all emails to a folder, as HTML and as text",
        discussion: """
            The emails have the name, the color and the links of the settings. No store is opened, and
            nothing is sent. Links with a token do not work. An existing file is an error.
            """,
        options: [ServeSubcommand.config, ServeSubcommand.issuer, language, .json("the paths of the files")],
        arguments: [.init(name: "FOLDER", summary: "a folder, which is created")],
        examples: [
            "latch admin mail preview previews --config latch.toml": "with the settings of a server",
            "latch admin mail preview previews --language fr": "only those in French",
        ],
        body: { invocation, environment in
            let settings = try SettingsLoader(invocation, variables: environment.variables).load()
            let languages = try languages(invocation[language])
            let folder = invocation.arguments[0]
            try makeFolder(folder)
            var paths: [String] = []
            for purpose in OutboxMail.Purpose.allCases {
                for language in languages {
                    let mail = example(purpose, in: language, of: settings.configuration.identity)
                    for (ending, content) in [("html", mail.html), ("txt", "\(mail.subject)\n\n\(mail.text)")] {
                        let path = "\(folder)/\(purpose.rawValue).\(language).\(ending)"
                        try OutputFile.create(path, Array(content.utf8))
                        paths.append(path)
                    }
                }
            }
            write(paths, to: folder, for: invocation, in: environment)
            return .success
        })

    private static let isHTML = Option.flag("html", "also the HTML of each email, to change its layout")

    private static let templates = Subcommand(
        name: "templates", summary: "writes the texts of all emails to a folder, to be changed",
        discussion: """
            The setting mail_templates names a folder with the emails of your own. Keep only the files that
            you change: all other emails have the texts of the server, also after an update.
            \(MailField.allCases.map { $0.placeholder }.prefix(4).joined(separator: ", ")) and others stand for the values of an email.
            """,
        options: [language, isHTML, .json("the paths of the files")],
        arguments: [.init(name: "FOLDER", summary: "a folder, which is created")],
        examples: [
            "latch admin mail templates mails --language en": "the texts in English, one file for each email"
        ],
        body: { invocation, environment in
            let languages = try languages(invocation[language])
            let folder = invocation.arguments[0]
            try makeFolder(folder)
            var paths: [String] = []
            for purpose in OutboxMail.Purpose.allCases {
                for language in languages {
                    let texts = Texts(languages: [language])
                    let template = MailTemplate(purpose, texts: texts)
                    var contents = [(ending: "txt", content: template.source)]
                    if invocation.has(isHTML) { contents.append(("html", template.htmlSource(purpose, texts: texts))) }
                    for (ending, content) in contents {
                        let path = "\(folder)/\(purpose.rawValue).\(language).\(ending)"
                        try OutputFile.create(path, Array(content.utf8))
                        paths.append(path)
                    }
                }
            }
            write(paths, to: folder, for: invocation, in: environment)
            return .success
        })

    private static func makeFolder(_ folder: String) throws(CommandError) {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw CommandError.failed(
                "The folder '\(folder)' cannot be made.", hint: "Choose a place that this user may write to.")
        }
    }

    private static func write(
        _ paths: [String], to folder: String, for invocation: Invocation, in environment: Environment
    ) {
        let json = JSONValue.object(["files": .array(paths.map { .string($0) })])
        environment.write(("Wrote \(paths.count) files to \(folder).".printable, json), for: invocation)
    }

    private static func languages(_ chosen: String?) throws(CommandError) -> [String] {
        guard let chosen else { return IdentityConfiguration.supportedLanguages }
        return [
            try Suggestion.value(
                named: chosen, among: IdentityConfiguration.supportedLanguages, kind: "language"
            ) { $0 }
        ]
    }

    private static func example(
        _ purpose: OutboxMail.Purpose, in language: String, of configuration: IdentityConfiguration
    ) -> ComposedMail {
        ComposedMail(
            purpose, to: "ada@example.com", token: "EXAMPLE", code: "012345",
            issuer: configuration.issuer ?? "https://id.example.com",
            providers: purpose == .passwordChanged ? ["Google"] : [], at: Date(),
            causedBy: MailCause(
                address: "192.0.2.1", userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko Firefox/130.0"),
            configuration: configuration, texts: Texts(languages: [language]))
    }
}
