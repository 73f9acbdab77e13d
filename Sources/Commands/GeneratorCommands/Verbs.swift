// SPDX-License-Identifier: Apache-2.0

package import LatchCommand

/// The verbs of the generator, as the program of that name has them; its doctor is the program's own.
package func generatorVerbs(of program: String) -> [Verb] {
    [
        GenerateVerb.verb(of: program), ValidateVerb.verb(of: program), ExamplesVerb.verb(of: program),
        DescriptorsVerb.verb(of: program), ToolServerVerb.verb(of: program),
    ]
}
