// SPDX-License-Identifier: Apache-2.0

package import LatchCommand

/// Returns the generator's subcommands for a program, without `doctor`, which each program defines separately.
package func generatorSubcommands(of program: String) -> [Subcommand] {
    [
        GenerateSubcommand.subcommand(of: program), ValidateSubcommand.subcommand(of: program),
        ExamplesSubcommand.subcommand(of: program), DescriptorsSubcommand.subcommand(of: program),
        ToolServerSubcommand.subcommand(of: program),
    ]
}
