// SPDX-License-Identifier: Apache-2.0

package import LatchCommand
import LatchCore

/// `doctor` of the generator alone; that of `latch` looks at accounts as well.
package enum GeneratorDoctorVerb {
    /// The verb, as the program of that name has it.
    package static func verb(of program: String) -> Verb {
        Verb(
            name: "doctor", summary: "says what the generator finds on this machine, and what is missing",
            discussion: "It changes nothing. Exit 1 where something does not hold.", options: [GenerateVerb.json],
            examples: [.init(command: "\(program) doctor", purpose: "can clients be generated and judged here?")],
            body: { invocation, shell in
                let found = await GeneratorDoctor(environment: shell.environment).look()
                if invocation.has(GenerateVerb.json) {
                    shell.json([
                        "fine": .bool(found.allSatisfy(\.isFine)), "version": .string(packageVersion),
                        "findings": .array(found.map(\.json)),
                    ])
                } else {
                    shell.output.write(found.text)
                }
                return found.allSatisfy(\.isFine) ? .success : .failure
            })
    }
}
