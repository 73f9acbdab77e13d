// SPDX-License-Identifier: Apache-2.0

import LatchCommand

/// `latch request`: a request with the account's credential.
enum RequestVerb {
    static let header = Option.values(
        "header", "LINE", letter: "H", "a header field, 'Name: value', or @FILE with several")
    static let data = Option.values(
        "data", "DATA", letter: "d", "the content as a form, or @FILE, or @- for standard input")
    static let json = Option.values("json", "DATA", "the same as JSON")
    static let include = Option.flag("include", letter: "i", "shows the status and the header fields too")
    static let output = Option.value(
        "output", "FILE", letter: "o", "writes the content into a file, whole or not at all")
    static let fail = Option.flag("fail", letter: "f", "a status from 400 on is a failure: exit 1, and no content")
    static let location = Option.flag(
        "location", letter: "L", "follows redirects; the credential stays with its origin")

    static let verb = Verb(
        name: "request", summary: "sends a request as the current account",
        discussion: """
            Flags are those of curl. The credential is added, renewed when that is due or when the server
            refuses it, and the request is then sent once more. It goes to the account's own origin and
            nowhere else; a path alone, such as /user/profile, is one of the issuer's. Without '--fail'
            every answer is a success, whatever its status says.
            """,
        options: [ClientAccounts.account, header, data, json, include, output, fail, location], joinsLetters: true,
        operands: [
            .init(name: "METHOD", summary: "GET, POST, PUT, PATCH, DELETE, …"),
            .init(name: "URL", summary: "the address, or a path of the issuer"),
        ],
        examples: [
            .init(command: "latch request GET /user/profile", purpose: "what the issuer knows of the account"),
            .init(
                command: "latch request POST https://id.example.com/files --json @file.json -i",
                purpose: "send JSON, and see the status"),
        ],
        body: { invocation, shell in try await RequestRun(invocation, shell).run() })
}
