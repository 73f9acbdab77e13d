// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchTexts
public import SwiftUI

/// The cover and the lock above an app's content.
struct AppLockView: ViewModifier {
    let model: AppLockModel
    @Environment(\.scenePhase) private var phase
    @Environment(\.authTexts) private var texts

    func body(content: Content) -> some View {
        content
            .accessibilityHidden(model.lock.phase != .open)
            .overlay {
                switch model.lock.phase {
                case .open: EmptyView()
                case .covered:
                    Rectangle()
                        .fill(.background)
                        .ignoresSafeArea()
                        .accessibilityLabel(texts(Phrase("lock.cover", .text(model.unlock.screen.app))))
                case .locked:
                    UnlockView(model.unlock)
                        .background(.background)
                }
            }
            .onChange(of: phase, initial: true) { model.receive(AppLock.Activity(phase)) }
    }
}

extension AppLock.Activity {
    /// Creates the activity of a scene.
    init(_ phase: ScenePhase) {
        switch phase {
        case .active: self = .active
        case .background: self = .background
        default: self = .inactive
        }
    }
}

extension View {
    /// Covers the content while the app is inactive, and locks it after a time in the background.
    public func appLock(_ model: AppLockModel) -> some View { modifier(AppLockView(model: model)) }
}
#endif
