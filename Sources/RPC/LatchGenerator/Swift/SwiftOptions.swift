// SPDX-License-Identifier: Apache-2.0

package import LatchProtoCompiler

/// The options of generated Swift code.
package struct SwiftOptions: Sendable, Hashable {
    /// The layout of the generated files.
    package enum Layout: String, Sendable, Hashable, CaseIterable {
        /// One tree for a project: `swift/Contracts` with files for each service and its messages.
        case project
        /// One Swift file for each .proto file: `a/b.proto` becomes `a/b.latch.swift`.
        case perFile
    }

    /// The access level of generated declarations.
    package enum Visibility: String, Sendable, Hashable, CaseIterable {
        case `public`, package, `internal`

        /// The access modifier of a declaration.
        package var prefix: String { self == .internal ? "" : "\(rawValue) " }

        /// The access modifier of an import whose types occur in declarations.
        ///
        /// An explicit `internal` would conflict with a plain import if the upcoming feature `InternalImportsByDefault`
        /// is off. So does `package`, and that visibility requires the feature.
        package var importPrefix: String { prefix }
    }

    /// The names of files in the layout `.perFile`.
    ///
    /// The file names of a module must be unique: `v1/user.proto` and `v2/user.proto` require `.pathToUnderscores`.
    package enum FileNaming: String, Sendable, Hashable, CaseIterable {
        /// The full path: `a/b.latch.swift`.
        case fullPath
        /// The path with underscores: `a_b.latch.swift`.
        case pathToUnderscores
        /// The last path component: `b.latch.swift`.
        case dropPath
    }

    /// The layout of the generated files.
    package var layout = Layout.project
    /// The access level of generated declarations.
    package var visibility = Visibility.public
    /// The names of files in the layout `.perFile`.
    package var fileNaming = FileNaming.fullPath
    /// The prefix of type names; a file's own option `swift_prefix` takes precedence.
    package var typePrefix = ""
    /// Whether type names begin with their package, as in `GoogleRpcStatus` for `google.rpc.Status`.
    ///
    /// This distinguishes the types of several packages in one module; a file's option `swift_prefix` takes precedence.
    package var prefixesPackages = false
    /// The module of the generated code, which qualifies a type that a nested type of the same name shadows.
    package var moduleName: String?
    /// The full names of the services to generate, together with the types that they need; nil for everything.
    package var services: Set<String>?
    /// Whether rules that the runtime cannot check are omitted with a warning; otherwise they are errors.
    package var allowsUnenforcedRules = false
    /// The modules that contain the types of other .proto files, by file name, or by a folder that ends with `/`.
    package var modules: [String: String] = [:]
    /// Whether public accessors are compiled into the modules that use them, instead of the one that declares them
    /// (`@export(implementation)`, SE-0497).
    ///
    /// A program uses few of a message's many accessors. So this halves the time of a release build of messages, and
    /// reduces the code to a third.
    package var emitsAccessorsIntoClients = true
    /// The module to import for `Data` and `Date`; nil imports FoundationEssentials if it is available, else
    /// Foundation.
    package var foundation: String?

    /// Creates the defaults: a project layout with public declarations.
    package init() {}

    /// The severity of a rule that is not enforced.
    var unenforced: Diagnostic.Severity { allowsUnenforcedRules ? .warning : .error }

    /// The modifiers of a declaration that only forwards to the storage.
    package var forwardingPrefix: String {
        emitsAccessorsIntoClients && visibility == .public
            ? "@export(implementation) \(visibility.prefix)" : visibility.prefix
    }

    /// Returns the prefix of a file's type names.
    package func prefix(of file: FileDescriptor) -> String {
        if let own = file.swiftPrefix { return own }
        let package = prefixesPackages ? SwiftNames.pascal(file.package) : ""
        // A package such as `_3d.v1` begins with a digit in Pascal case, which a name must not.
        return typePrefix + (typePrefix.isEmpty && package.utf8.first?.isDigit == true ? "_" : "") + package
    }

    /// Returns the module to which a .proto file is mapped; nil if its types are generated.
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
