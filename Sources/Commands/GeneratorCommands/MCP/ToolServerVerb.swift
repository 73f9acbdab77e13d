// SPDX-License-Identifier: Apache-2.0

package import LatchCommand

/// `mcp-server`: the generator as tools of the Model Context Protocol.
package enum ToolServerVerb {
    static let progress = Option.flag("progress", "tells each step on standard error, too")
    static let debug = Option.flag("debug", "tells on standard error when it begins and ends")
    static let validate = Option.flag("validate", "has the Swift compiler judge what each call wrote")

    /// The verb, as the program of that name has it.
    package static func verb(of program: String) -> Verb {
        Verb(
            name: "mcp-server", summary: "serves the generator to models, over standard input and output",
            discussion: """
                It speaks the Model Context Protocol: JSON-RPC 2.0, one message on each line, in the revisions
                \(ProtocolRevision.allCases.map(\.rawValue).joined(separator: ", ")).
                It ends with standard input, once everything that was asked for has been answered.
                """,
            options: [progress, debug, validate],
            examples: [
                .init(
                    command: "\(program) mcp-server",
                    purpose: "what an editor's configuration starts")
            ],
            body: { invocation, shell in
                let isTold = invocation.has(debug) || invocation.has(progress)
                if isTold { shell.error.line("\(shell.name): serving tools on standard input and output") }
                let environment = shell.environment
                let server = ToolServer(
                    shell,
                    tools: [
                        GenerateTool(environment: environment, alwaysValidates: invocation.has(validate)),
                        ValidateTool(), DoctorTool(environment: environment), ExamplesTool(),
                    ],
                    note: { text in
                        if invocation.has(progress) { shell.error.line("\(shell.name): \(text.printable)") }
                    })
                await server.serve()
                if isTold { shell.error.line("\(shell.name): standard input has ended") }
                return .success
            })
    }
}
