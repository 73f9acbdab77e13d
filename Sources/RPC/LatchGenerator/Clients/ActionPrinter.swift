// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// Writes the actions of a client: an enum with a case for each call.
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
            What ``\(plan.clientName)`` can be asked to do.

            Its description shows no field that is secret.
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
        printer.doc("What the options of the service say of the action.")
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
        printer.doc("What is sent.")
        printer.block("\(access)var request: any \(context.standard("Message")) {") {
            $0.line("switch self {")
            for method in plan.methods { $0.line("case .\(method.caseName)(let request): request") }
            $0.line("}")
        }
    }

    private func printErrors(to printer: inout SwiftPrinter) {
        printer.gap()
        printer.doc("What is wrong with the request: one sentence for each rule of the service that it breaks.")
        let asked = zip(context.checks, context.ruled).map { !$0.isEmpty || $1 }
        guard asked.contains(true) else {
            return printer.line("\(access)var validationErrors: [\(context.standard("String"))] { [] }")
        }
        printer.block("\(access)var validationErrors: [\(context.standard("String"))] {") {
            $0.line("var errors: [\(context.standard("String"))] = []")
            $0.line("switch self {")
            for (index, method) in plan.methods.enumerated() where asked[index] {
                $0.line("case .\(method.caseName)(let request):")
                for check in context.checks[index] {
                    $0.line("    if \(check.violation) { errors.append(\(check.messageLiteral)) }")
                }
                if context.ruled[index] { $0.line("    errors += request.violations().map(\\.description)") }
            }
            if asked.contains(false) { $0.line("default: break") }
            $0.line("}")
            $0.line("return errors")
        }
    }
}

extension RuleCheck {
    /// What is true of a request that breaks the rule.
    var violation: String {
        // `!a.isEmpty` is broken by `a.isEmpty`; what has an operator keeps its parentheses.
        guard condition.hasPrefix("!"), !condition.contains(" ") else { return "!(\(condition))" }
        return String(condition.dropFirst())
    }
}
