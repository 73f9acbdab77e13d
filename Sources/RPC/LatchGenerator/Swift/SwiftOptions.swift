// SPDX-License-Identifier: Apache-2.0

/// How Swift is to be written.
public struct SwiftOptions: Sendable, Hashable {
    /// Where files are put.
    public enum Layout: String, Sendable, Hashable, CaseIterable {
        /// A tree for one project: `swift/Contracts` with a file for each service and for its messages.
        case project
        /// One Swift file for each .proto file, beside it: `a/b.proto` becomes `a/b.latch.swift`.
        case perFile
    }

    /// Who can see what is declared.
    public enum Visibility: String, Sendable, Hashable, CaseIterable {
        case `public`, package, `internal`

        /// What stands before a declaration.
        package var prefix: String { self == .internal ? "" : "\(rawValue) " }

        /// What stands before an import whose types occur in declarations.
        ///
        /// An import that says `internal` would be an error beside one that says nothing, where the upcoming feature
        /// `InternalImportsByDefault` is off; one that says `package` is, so that visibility needs the feature.
        package var importPrefix: String { prefix }
    }

    /// What a file of the layout `.perFile` is called.
    ///
    /// The compiler takes no two files of one name into one module: where `v1/user.proto` meets `v2/user.proto`, only
    /// `.pathToUnderscores` will do.
    public enum FileNaming: String, Sendable, Hashable, CaseIterable {
        /// By the path: `a/b.latch.swift`.
        case fullPath
        /// By the path in one word: `a_b.latch.swift`.
        case pathToUnderscores
        /// By the last part: `b.latch.swift`.
        case dropPath
    }

    /// Where files are put.
    public var layout = Layout.project
    /// Who can see what is declared.
    public var visibility = Visibility.public
    /// What a file of the layout `.perFile` is called.
    public var fileNaming = FileNaming.fullPath
    /// What the names of all types begin with; a file's own option `swift_prefix` goes before it.
    public var typePrefix = ""
    /// Whether names begin with that of the package, as `GoogleRpcStatus` for `google.rpc.Status`.
    ///
    /// It tells types of several packages apart that are generated into one module; a file's option `swift_prefix` takes
    /// its place.
    public var prefixesPackages = false
    /// The module that the text will belong to: by its name a type is told from a nested one of the same name.
    public var moduleName: String?
    /// The full names of the services that are wanted, with the types that they need; nil for everything.
    public var services: Set<String>?
    /// Modules in which the types of other .proto files live, by the file's name, or by a folder that ends in `/`.
    public var modules: [String: String] = [:]
    /// Whether accessors are compiled where they are used, and not also in the module that declares them.
    ///
    /// A message has many accessors, most of which a program does not use: this halves the time that a release build of
    /// messages takes, and leaves a third of their code. It concerns public declarations only.
    public var emitsAccessorsIntoClients = true
    /// The module that `Data` and `Date` come from; nil writes an import that fits wherever it is compiled.
    public var foundation: String?

    /// The defaults: a project, public.
    public init() {}

    /// What stands before a declaration that only forwards to something public.
    package var forwardingPrefix: String {
        emitsAccessorsIntoClients && visibility == .public
            ? "@_alwaysEmitIntoClient \(visibility.prefix)" : visibility.prefix
    }

    /// What the names of a file's types begin with.
    package func prefix(package: String, says: String?) -> String {
        says ?? typePrefix + (prefixesPackages ? SwiftNames.pascal(package) : "")
    }

    /// The module of a .proto file; nil where its types are generated here.
    package func module(ofFile name: String) -> String? {
        if let module = modules[name] { return module }
        var folder = name[...]
        while let slash = folder.dropLast().lastIndex(of: "/") {
            folder = folder[...slash]
            if let module = modules[String(folder)] { return module }
        }
        return nil
    }
}
