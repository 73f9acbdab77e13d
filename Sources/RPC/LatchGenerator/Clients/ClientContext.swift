// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The context that all printers of a client share.
struct ClientContext {
    let plan: ServicePlan
    let types: TypeTable
    let options: SwiftOptions
    /// The access modifier of a declaration.
    let access: String
    /// The checks of each method's request, in method order.
    let checks: [[RuleCheck]]
    /// Whether each method's request has message rules (`buf.validate`), in method order.
    let hasMessageRules: [Bool]
    /// The checks of items, by the items' full names.
    let itemChecks: [String: [RuleCheck]]
    private(set) var diagnostics: [Diagnostic] = []

    init(_ plan: ServicePlan, types: TypeTable, options: SwiftOptions) {
        self.plan = plan
        self.types = types
        self.options = options
        access = options.visibility.prefix
        var diagnostics: [Diagnostic] = []
        checks = plan.methods.map { method in
            let (checks, found) = RuleCompiler(standard: { types.standard($0) }).checks(
                for: method.requirements)
            diagnostics += found
            return checks
        }
        var table = StandardRules()
        hasMessageRules = plan.methods.map { table.hasRules($0.request) }
        itemChecks = plan.itemConstraints.mapValues { constraints in
            let (checks, found) = RuleCompiler(request: "item", standard: { types.standard($0) }).checks(
                for: constraints)
            diagnostics += found
            return checks
        }
        self.diagnostics = diagnostics
        checkNames()
    }

    /// The prefix of the service's type names.
    var service: String { types.serviceName(plan.service) }

    /// Returns the Swift name of a message.
    func name(_ message: MessageDescriptor) -> String { types.name(message) }

    /// Returns the Swift name of a message in a test, qualified if the test imports another type of that name.
    func nameInTests(_ message: MessageDescriptor) -> String {
        let name = types.name(message)
        let first = name.prefix { $0 != "." }
        let isOther = ImportedNames.runtime.contains(String(first)) || ImportedNames.testing.contains(String(first))
        guard isOther, types.module(of: message.fullName) == nil, let module = testedModule else { return name }
        return "\(module).\(name)"
    }

    /// The module under test; nil if unknown, so that the tests belong to the same module.
    var testedModule: String? { options.moduleName ?? plan.packageName }

    /// Returns the name of a type of Swift, Foundation or the runtime, qualified if a message has the same name.
    func standard(_ name: String) -> String { types.standard(name) }

    func file(_ name: String, in folder: String = "Clients", _ printer: SwiftPrinter) -> GeneratedFile {
        GeneratedFile(path: Self.folder(folder, options, plan) + name + ".swift", text: printer.text)
    }

    /// Returns the folder for files: in a project's tree, or next to the .proto file.
    static func folder(_ name: String, _ options: SwiftOptions, _ plan: ServicePlan?) -> String {
        guard options.layout == .perFile else { return "swift/\(name)/" }
        guard let file = plan?.service.file.name, let slash = file.lastIndex(of: "/") else { return "" }
        return String(file[...slash])
    }

    /// Returns a printer that has printed the head of a file.
    ///
    /// - Parameters:
    ///   - shown: The modules whose types occur in declarations.
    ///   - used: Other modules to import.
    func printer(shown: [String], used: [String] = [], needsDate: Bool = false) -> SwiftPrinter {
        var printer = SwiftPrinter(fileFrom: "\(plan.service.file.name). Edit that file instead.")
        let access = options.visibility.importPrefix
        if needsDate { printer.importFoundation(access) }
        for module in shown.sorted() { printer.line("\(access)import \(module)") }
        for module in used.sorted() where !shown.contains(module) { printer.line("import \(module)") }
        return printer
    }

    /// Prints conditional imports of the modules that the options add.
    func printOptionalImports(to printer: inout SwiftPrinter) {
        for module in plan.importModules where !["AxiomCore", "AxiomArchitecture", "LatchRPC"].contains(module) {
            printer.lines("#if canImport(\(module))\nimport \(module)\n#endif")
        }
    }

    /// Reports type names of the client that messages also have, and collections named like members of the state.
    private mutating func checkNames() {
        func fail(_ message: String, hint: String? = nil) {
            diagnostics.append(plan.service.file.diagnostic(message, at: plan.service.namePosition, hint: hint))
        }
        let names =
            [plan.clientName, plan.stateName, plan.actionName, "\(plan.stem)Error"]
            + [plan.reducerName].compactMap(\.self)
        for name in names where types.topLevel.contains(name) {
            fail(
                "'\(name)' would be both a type of the client and a message",
                hint:
                    "Set client_name, state_name and action_name, or name all clients after the whole names of their "
                    + "services (--keep-service-names).")
        }
        let reserved: Set<String> = [
            "isLoading", "error", "lastUpdated", "isStale", "nextCursor", "totalCount", "hasMore", "statistics",
            "performanceMetrics", "validationResults", "hashValue",
        ]
        for collection in plan.collections where reserved.contains(collection.property) {
            fail("a collection cannot be named '\(collection.name)': each state has a member of that name")
        }
    }
}

extension FieldDescriptor {
    /// The index of the field in the schema of its message.
    var slot: Int { slotInParent ?? 0 }

    /// Returns an expression for the value of a key; an absent key reads as its default.
    func keyValue(of message: String) -> String {
        guard FieldShape.presence(of: self) == .optional else { return "\(message).\(reading)" }
        return "\(message).\(reading) ?? \(type == .string ? "\"\"" : "0")"
    }
}
