// SPDX-License-Identifier: Apache-2.0

/// What is generated, and how it is laid out.
public struct GenerationOptions: Sendable, Hashable {
    /// How texts become files.
    public enum Layout: String, Sendable, Hashable, CaseIterable {
        /// A folder for each kind: `swift/Contracts`, `swift/Clients`, `swift/Tests`, `swift/Documentation`.
        case project
        /// One file beside each .proto file: `a/b.proto` becomes `a/b.latch.swift`.
        case file
    }

    /// Who sees the declarations.
    public enum Visibility: String, Sendable, Hashable, CaseIterable {
        /// Every module.
        case `public`
        /// The modules of the package.
        case package
        /// The module that they belong to.
        case `internal`
    }

    /// How texts become files.
    public var layout = Layout.project
    /// Who sees the declarations.
    public var visibility = Visibility.public
    /// What names of clients end with where no option of the service says it; nil for `Client`.
    public var clientSuffix: String?
    /// The module that the files are compiled into; nil where nobody says.
    public var moduleName: String?
    /// The full names of the services that are wanted; nil for all.
    public var services: Set<String>?
    /// Whether messages, enums and services are generated.
    public var makesContracts = true
    /// Whether clients with actions and state are generated.
    public var makesClients = true
    /// Whether tests of the clients are generated.
    public var makesTests = true
    /// Whether guides to the clients are generated.
    public var makesGuides = true

    /// Everything, public, in the layout of a project.
    public init() {}
}
