// SPDX-License-Identifier: Apache-2.0

package import LatchCommand

/// `mcp-server`: the generator as tools of the Model Context Protocol.
package enum ToolServerSubcommand {
    static let progress = Option.flag("progress", "shows each step on standard error")
    static let debug = Option.flag("debug", "shows the start and the end on standard error")
    static let validate = Option.flag("validate", "checks the files of each call with the Swift compiler")

    package static func subcommand(of program: String) -> Subcommand {
        Subcommand(
            name: "mcp-server", summary: "serves the generator to models over standard input and output",
            discussion: """
                The server implements the Model Context Protocol: JSON-RPC 2.0, one message on each line,
                in the revisions
                \(ProtocolRevision.allCases.map(\.rawValue).joined(separator: ", ")).
                It ends with standard input, after the responses to all requests.
                """,
            options: [progress, debug, validate],
            examples: [
                "\(program) mcp-server": "start the server from an editor's configuration"
            ],
            body: { invocation, shell in
                let isVerbose = invocation.has(debug) || invocation.has(progress)
                if isVerbose { shell.error.line("\(shell.name): serving tools on standard input and output") }
                let environment = shell.variables
                let server = ToolServer(
                    shell,
                    tools: [
                        GenerateTool(environment: environment, alwaysValidates: invocation.has(validate)),
                        ValidateTool(), DoctorTool(environment: environment), ExamplesTool(),
                    ],
                    note: { text in
                        if invocation.has(progress) { shell.error.line("\(shell.name): \(text.printable)") }
                    })
                try await server.serve()
                if isVerbose { shell.error.line("\(shell.name): standard input has ended") }
                return .success
            })
    }
}
