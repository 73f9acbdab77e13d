// SPDX-License-Identifier: Apache-2.0

package import LatchProtoCompiler

/// A writer of messages, enums, extensions and services as Swift.
///
/// ```swift
/// let output = SwiftWriter(files: compilation.filesToGenerate, options: SwiftOptions()).write()
/// for diagnostic in output.diagnostics { print(diagnostic) }
/// ```
///
/// The output is deterministic, and the time is linear in the size of the files.
package struct SwiftWriter {
    private let files: [FileDescriptor]
    private let options: SwiftOptions
    private let isSecret: @Sendable (FieldDescriptor) -> Bool
    /// The Swift names of all types.
    let types: TypeTable

    /// Creates a writer of some files.
    ///
    /// - Parameters:
    ///   - files: The files to write. Their dependencies must be among them, in a module that the options map, or
    ///     well-known types.
    ///   - isSecret: Whether a field contains a secret, in addition to those that `SecretNames` finds.
    package init(
        files: [FileDescriptor], options: SwiftOptions,
        isSecret: @escaping @Sendable (FieldDescriptor) -> Bool = { _ in false }
    ) {
        let own = files.filter { !Self.isWellKnown($0) && options.module(ofFile: $0.name) == nil }
        self.files = own + Self.missingGoogleFiles(of: own, options)
        self.options = options
        self.isSecret = { SecretNames.isSecret($0) || isSecret($0) }
        types = TypeTable(files, options: options)
    }

    /// Writes the files, sorted by path; writes none if there are errors.
    package func write() -> GenerationResult { write(outline()) }

    /// The units of all files, and the diagnostics about them.
    struct Outline {
        fileprivate var units: [ContractUnit]
        fileprivate let diagnostics: [Diagnostic]
    }

    /// Assigns the declarations to files.
    func outline() -> Outline {
        var context = ContractContext(types, options, isSecret: isSecret)
        NameCheck.check(files, &context)
        checkSources(&context)
        checkForeignRules(&context)
        let unenforced = options.unenforced
        context.diagnostics += Parallel.map(files) { LostRules(of: $0, unenforced: unenforced).diagnostics }.flatMap(
            \.self)
        var units = ContractUnit.units(of: files, options, types, &context)
        if let services = options.services {
            let selection = TypeSelection(services, of: files)
            units = units.map(selection.applied).filter { !$0.isEmpty }
        }
        return Outline(units: units, diagnostics: context.diagnostics)
    }

    /// Writes the units of an outline.
    ///
    /// - Parameter checks: A server's checks of requests, by the methods' full names.
    func write(_ outline: Outline, checks: [String: [RuleCheck]] = [:]) -> GenerationResult {
        let written = Parallel.map(outline.units) { write($0, checks) }
        var output = GenerationResult(diagnostics: outline.diagnostics + written.flatMap(\.diagnostics))
        if output.isComplete { output.files = written.map(\.file).sorted { $0.path < $1.path } }
        return output
    }

    /// Writes one file, and returns the diagnostics about its declarations.
    private func write(
        _ unit: ContractUnit, _ checks: [String: [RuleCheck]]
    ) -> (file: GeneratedFile, diagnostics: [Diagnostic]) {
        var context = ContractContext(types, options, isSecret: isSecret, checks: checks)
        return (GeneratedFile(path: unit.path, text: text(of: unit, &context)), context.diagnostics)
    }

    private func text(of unit: ContractUnit, _ context: inout ContractContext) -> String {
        var printer = SwiftPrinter(fileFrom: "\(unit.sources.joined(separator: ", ")). Edit that file instead.")
        guard unit.needsRuntime else {
            printer.line("// It declares nothing that is needed at run time.")
            return printer.text
        }
        printImports(of: unit, to: &printer)
        for service in unit.services { ServicePrinter.print(service, &context, to: &printer) }
        for message in unit.messages {
            printer.gap()
            MessagePrinter.print(message, in: TypeScope(), &context, to: &printer)
        }
        for one in unit.enums {
            printer.gap()
            EnumPrinter.print(one, in: TypeScope(), &context, to: &printer)
        }
        for (name, fields) in unit.extensions {
            ExtensionPrinter.print(fields, named: name, in: TypeScope(), &context, to: &printer)
        }
        return printer.text
    }

    private func printImports(of unit: ContractUnit, to printer: inout SwiftPrinter) {
        let uses = unit.uses(types)
        let access = options.visibility.importPrefix
        var modules = uses.modules.union([TypeTable.runtime])
        if uses.foundation {
            if let foundation = options.foundation {
                modules.insert(foundation)
            } else {
                printer.importFoundation(access)
            }
        }
        for module in modules.sorted() { printer.line("\(access)import \(module)") }
    }

    /// Warns about files with rules that are not enforced.
    private func checkForeignRules(_ context: inout ContractContext) {
        for file in files where ForeignRules.isUsed(in: file) {
            context.fail(
                "the rules of protoc-gen-validate (validate.rules) in \(file.name) are not enforced", at: nil, in: file,
                hint: "State them as rules of protovalidate (buf.validate).", as: .warning)
        }
    }

    /// Reports dependencies whose types are in no module.
    private func checkSources(_ context: inout ContractContext) {
        let own = Set(files.map(\.name))
        for file in files {
            for dependency in file.visibleFiles
            where !own.contains(dependency.name) && options.module(ofFile: dependency.name) == nil {
                guard ContractUnit.references(file, to: dependency) else { continue }
                context.fail(
                    "\(file.name) uses types of \(dependency.name), which is not generated", at: nil, in: file,
                    hint: "generate both, or map the file to the module that contains its types")
            }
        }
    }

    /// Returns the required files of `google.protobuf` that the runtime lacks, such as `google/protobuf/type.proto`.
    private static func missingGoogleFiles(of files: [FileDescriptor], _ options: SwiftOptions) -> [FileDescriptor] {
        var (found, seen) = ([FileDescriptor](), Set(files.map(\.name)))
        func visit(_ file: FileDescriptor) {
            for other in file.visibleFiles
            where other.package == "google.protobuf" && !isWellKnown(other) && options.module(ofFile: other.name) == nil
                && !seen.contains(other.name) && ContractUnit.references(file, to: other)
            {
                seen.insert(other.name)
                found.append(other)
                visit(other)
            }
        }
        files.forEach(visit)
        return found
    }

    /// Whether the runtime contains all types of a file.
    private static func isWellKnown(_ file: FileDescriptor) -> Bool {
        file.package == "google.protobuf" && file.messages.allSatisfy { TypeTable.runtimeNames[$0.fullName] != nil }
            && !file.messages.isEmpty
    }
}
