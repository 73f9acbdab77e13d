// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// A printer of a client's actions: an enum with a case for each method.
struct ActionPrinter {
    private let context: ClientContext
    private var plan: ServicePlan { context.plan }
    private var access: String { context.access }

    init(_ context: ClientContext) { self.context = context }

    var file: GeneratedFile {
        var printer = context.printer(shown: ["AxiomArchitecture", "LatchRPC"])
        printer.gap()
        printer.doc(
            """
            An action of ``\(plan.clientName)``.

            Its description redacts secret fields.
            """)
        printer.block(
            "\(access)enum \(plan.actionName): \(context.standard("AxiomAction")), \(context.standard("Hashable")) {"
        ) {
            for method in plan.methods {
                $0.doc(method.documentation ?? "Calls \(method.method.fullName).")
                $0.line("case \(method.caseName)(\(context.name(method.request)))")
            }
            printTraits(to: &$0)
            printRequest(to: &$0)
            printErrors(to: &$0)
        }
        return context.file(plan.actionName, printer)
    }

    private func printTraits(to printer: inout SwiftPrinter) {
        printer.gap()
        printer.doc("The traits of the action, as the options of the service set them.")
        printer.block("\(access)var traits: \(context.standard("ActionTraits")) {") {
            $0.line("switch self {")
            for method in plan.methods { $0.line("case .\(method.caseName): \(traits(method))") }
            $0.line("}")
        }
    }

    private func traits(_ method: MethodPlan) -> String {
        var arguments = [SwiftNames.literal(SwiftNames.bare(method.caseName)), ".\(method.strategy.rawValue)"]
        if method.cache != .none { arguments.append("cache: .\(method.cache.rawValue)") }
        if !method.requiresNetwork { arguments.append("requiresNetwork: false") }
        if !method.modifiesState { arguments.append("modifiesState: false") }
        if !method.showsLoading { arguments.append("showsLoading: false") }
        if method.supportsOffline { arguments.append("supportsOffline: true") }
        if method.isIdempotent { arguments.append("isIdempotent: true") }
        return "\(context.standard("ActionTraits"))(\(arguments.joined(separator: ", ")))"
    }

    private func printRequest(to printer: inout SwiftPrinter) {
        printer.gap()
        printer.doc("The request message of the action.")
        printer.block("\(access)var request: any \(context.standard("Message")) {") {
            $0.line("switch self {")
            for method in plan.methods { $0.line("case .\(method.caseName)(let request): request") }
            $0.line("}")
        }
    }

    private func printErrors(to printer: inout SwiftPrinter) {
        printer.gap()
        printer.doc("The rules of the service that the request breaks, each as a sentence.")
        let isChecked = zip(context.checks, context.hasMessageRules).map { !$0.isEmpty || $1 }
        guard isChecked.contains(true) else {
            return printer.line("\(access)var validationErrors: [\(context.standard("String"))] { [] }")
        }
        printer.block("\(access)var validationErrors: [\(context.standard("String"))] {") {
            $0.line("var errors: [\(context.standard("String"))] = []")
            $0.line("switch self {")
            for (index, method) in plan.methods.enumerated() where isChecked[index] {
                $0.line("case .\(method.caseName)(let request):")
                for check in context.checks[index] {
                    $0.line("    if \(check.violation) { errors.append(\(check.messageLiteral)) }")
                }
                if context.hasMessageRules[index] { $0.line("    errors += request.violations().map(\\.description)") }
            }
            if isChecked.contains(false) { $0.line("default: break") }
            $0.line("}")
            $0.line("return errors")
        }
    }
}
