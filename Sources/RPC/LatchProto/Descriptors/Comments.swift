// SPDX-License-Identifier: Apache-2.0

/// The comments around a declaration, without their slashes and asterisks.
public struct Comments: Sendable, Hashable {
    /// Directly above it.
    public var leading: String?
    /// Behind or directly below it.
    public var trailing: String?
    /// Above it, with empty lines between.
    public var detached: [String] = []

    /// None.
    public init() {}
}

/// Where one part of a file is declared (`SourceCodeInfo.Location`).
public struct SourceLocation: Sendable, Hashable {
    /// The numbers of fields and the indices that lead from the file's descriptor to the part.
    public var path: [Int32]
    /// From where to where.
    public var span: Span
    /// The comments around it.
    public var comments = Comments()
}
