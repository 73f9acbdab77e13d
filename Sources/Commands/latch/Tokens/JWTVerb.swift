// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCommand
import LatchCore
import LatchJOSE

/// `latch jwt`: signed tokens on the command line.
enum JWTVerb {
    static let json = Option.flag("json", "one JSON object: header, claims, verified")

    static let verb = Verb(
        name: "jwt", summary: "reads, checks and signs JSON Web Tokens",
        examples: [
            .init(command: "latch token | latch jwt decode", purpose: "what one's own access token says"),
            .init(
                command: "latch token | latch jwt verify --keys keys.json --audience api",
                purpose: "whether a token may be believed"),
        ],
        verbs: [decode, JWTVerifyVerb.verb, JWTSignVerb.verb])

    private static let decode = Verb(
        name: "decode", summary: "shows what a token says, without believing it",
        discussion: """
            The signature is not looked at: nobody may decide anything by what this shows.
            """,
        options: [json], operands: [TokenText.operand],
        examples: [
            .init(command: "latch jwt decode < token.txt", purpose: "what a token says"),
            .init(command: "latch token | latch jwt decode --json", purpose: "the same for a script"),
        ],
        body: { invocation, shell in
            let token = try JWT(unverified: try await TokenText.read(invocation, shell))
            show(TokenReport(token: token, isVerified: false, now: Date()), invocation, shell)
            return .success
        })

    /// The report as it was asked for.
    static func show(_ report: TokenReport, _ invocation: Invocation, _ shell: Shell) {
        if invocation.has(json) { shell.json(report.json) } else { shell.output.write(report.text) }
    }
}
