// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// A writer of the clients of services: actors with actions, state and errors, their tests and guides.
///
/// ```swift
/// let planning = ServicePlan.read(compilation.filesToGenerate)
/// let output = ClientWriter(planning.plans, types: types, options: options).write()
/// ```
///
/// The output is deterministic.
struct ClientWriter {
    private let plans: [ServicePlan]
    private let types: TypeTable
    private let options: GenerationOptions

    /// Creates a writer of clients.
    ///
    /// - Parameters:
    ///   - plans: The plans of the services; a service that only has streaming methods gets no client.
    ///   - types: The names in the contracts.
    init(_ plans: [ServicePlan], types: TypeTable, options: GenerationOptions) {
        self.plans = plans.filter { !$0.methods.isEmpty }
        self.types = types
        self.options = options
    }

    /// Writes the files.
    func write() -> GenerationResult {
        let contexts = Parallel.map(plans) { ClientContext($0, types: types, options: options.swift) }
        var output = GenerationResult(diagnostics: contexts.flatMap(\.diagnostics))
        guard output.isComplete else { return output }
        output.files = Parallel.map(contexts.flatMap(printings)) { $0() }.flatMap(\.self)
        if !plans.isEmpty { output.files.append(errorsFile) }
        output.files.sort { $0.path < $1.path }
        return output
    }

    /// Returns closures that each print some files of a client.
    private func printings(of context: ClientContext) -> [() -> [GeneratedFile]] {
        var printings: [() -> [GeneratedFile]] = [
            { [StatePrinter(context).file] }, { [ClientPrinter(context).file] }, { [ActionPrinter(context).file] },
        ]
        if options.makesTests, context.plan.generatesTests != false {
            printings.append { [ClientTestPrinter(context).file] }
        }
        if options.makesGuides { printings.append { GuideWriter(context, isAlone: plans.count == 1).files } }
        return printings
    }

    /// The file with the error types of all clients.
    private var errorsFile: GeneratedFile {
        let visibility = options.swift.visibility
        var printer = SwiftPrinter(fileFrom: "the .proto files of all clients.")
        printer.line("\(visibility.importPrefix)import AxiomCore")
        for plan in plans {
            printer.gap()
            printer.doc(
                """
                The error of a failed action of ``\(plan.clientName)``: `process` throws it, and the state has it as `error`.

                `recoveryStrategy` tells whether to try again or to correct the request.
                """)
            printer.line("\(visibility.prefix)typealias \(plan.stem)Error = \(types.standard("AxiomError"))")
        }
        return GeneratedFile(
            path: ClientContext.folder("Clients", options.swift, plans.first) + "AxiomErrors.swift", text: printer.text)
    }
}
