// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore

/// `latch admin doctor`: checks all dependencies of a server.
enum AdminDoctorSubcommand {
    static let subcommand = Subcommand(
        name: "doctor", summary: "checks a server's configuration, store, certificate and services",
        discussion: """
            Call it as the server's user, with its configuration and its environment; a server may run
            in the meantime. It changes nothing, and sends no email. A finding with ⚠ is a warning, for
            you to judge. Exit 1 if a check fails: what the configuration says, the store and its key, the
            certificate, the mail server, the public URL. The limits of this shell may differ from those
            of the service.
            """,
        options: [
            ServeSubcommand.store, ServeSubcommand.config, ServeSubcommand.issuer, IssuerTransport.authorities,
            .json("one JSON object with all findings"),
        ],
        examples: [
            "latch admin doctor --config /etc/latch/latch.toml": "before a start, and after a change",
            "latch admin doctor --config /etc/latch/latch.toml --json": "for a script or a monitor",
        ],
        body: { invocation, environment in
            let transport = try IssuerTransport.transport(of: invocation, environment.variables)
            let loader = SettingsLoader(invocation, variables: environment.variables)
            let doctor = ServerDoctor(loader: loader, variables: environment.variables, transport: transport)
            let findings = await doctor.run()
            let isFine = findings.allSatisfy(\.isFine)
            environment.write(
                findings.text(environment.style(of: environment.output)),
                orJSON: [
                    "fine": .bool(isFine), "version": .string(Program.version),
                    "findings": .array(findings.map(\.json)),
                ], for: invocation)
            return isFine ? .success : .failure
        })
}
