// SPDX-License-Identifier: Apache-2.0

/// A file that was generated: a value, which somebody else writes to disk.
public struct GeneratedFile: Sendable, Hashable {
    /// Where it belongs, relative to the folder of the output, with `/` between the parts.
    public var path: String
    /// What it says.
    public var text: String

    /// A file.
    public init(path: String, text: String) {
        self.path = path
        self.text = text
    }
}
