// SPDX-License-Identifier: Apache-2.0

package import LatchCommand

/// Returns the subcommands of the generator for a program, without `doctor`, which each program has of its own.
package func generatorSubcommands(of program: String) -> [Subcommand] {
    [
        GenerateSubcommand.subcommand(of: program), ValidateSubcommand.subcommand(of: program),
        ExamplesSubcommand.subcommand(of: program), DescriptorsSubcommand.subcommand(of: program),
        ToolServerSubcommand.subcommand(of: program),
    ]
}
