// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import LatchAuth
public import SwiftUI

/// A sheet that a request raises by itself, when a server wants to see the user once more.
struct StepUpSheet<Value: SessionCredential>: ViewModifier {
    let gate: SessionGateModel<Value>
    let model: StepUpModel

    func body(content: Content) -> some View {
        content
            .sheet(isPresented: isPresented) {
                StepUpView(model)
                    .presentationDetents([.medium, .large])
            }
            .onChange(of: model.outcome) { if model.outcome != nil { gate.dismissStepUp() } }
    }

    private var isPresented: Binding<Bool> {
        Binding(
            get: { @MainActor in gate.gate.stepUp != nil }, set: { @MainActor in if !$0 { gate.dismissStepUp() } })
    }
}

extension View {
    /// Shows the step-up of a gate's session in a sheet, whenever a request needs one.
    public func stepUpSheet<Value: SessionCredential>(
        _ gate: SessionGateModel<Value>, _ model: StepUpModel
    ) -> some View {
        modifier(StepUpSheet(gate: gate, model: model))
    }

    /// Offers a passkey in a sheet, while there is a model of it.
    public func passkeySheet(_ model: Binding<PasskeyModel?>) -> some View {
        sheet(isPresented: Binding(model)) {
            if let model = model.wrappedValue { PasskeyView(model) }
        }
    }
}

extension Binding where Value == Bool {
    /// Creates a binding that is true while there is a value, and removes it with false.
    @MainActor
    fileprivate init<Wrapped: Sendable>(_ optional: Binding<Wrapped?>) {
        self.init(get: { optional.wrappedValue != nil }, set: { if !$0 { optional.wrappedValue = nil } })
    }
}
#endif
