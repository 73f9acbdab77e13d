// SPDX-License-Identifier: Apache-2.0

// Who may use a message or an enum (edition 2024, `export`, `local` and `features.default_symbol_visibility`).

extension Linker {
    /// Whether this file may use what it has found, and says so where it may not.
    func isAllowed(_ symbol: Symbol, at place: Place?) -> Bool {
        switch symbol {
        case .message(let message):
            isAllowed(message.fullName, in: message.file, message.visibility, isNested: message.parent != nil, place)
        case .enum(let one):
            isAllowed(one.fullName, in: one.file, one.visibility, isNested: one.parent != nil, place)
        default: true
        }
    }

    private func isAllowed(
        _ name: String, in other: FileDescriptor, _ visibility: Visibility?, isNested: Bool, _ place: Place?
    ) -> Bool {
        guard other !== file, !pool.trustsFiles else { return true }
        let isExported =
            switch (visibility, other.features.symbolVisibility) {
            case (.export, _), (nil, .exportAll): true
            case (nil, .exportTopLevel): !isNested
            case (.local, _), (nil, .localAll), (nil, .strict): false
            }
        guard !isExported else { return true }
        fail(
            "'\(name)' is for \(other.name) alone", at: place,
            hint: visibility == .local
                ? "It is marked 'local' there." : "Write 'export' in front of it there, if it is meant for others.")
        return false
    }

    /// Where the file is strict, what stands in a message is not exported.
    func checkExports() {
        guard file.features.symbolVisibility == .strict else { return }
        for message in file.messages { checkExports(in: message) }
    }

    private func checkExports(in message: MessageDescriptor) {
        for inner in message.messages {
            if inner.visibility == .export { failExport(inner.fullName, at: inner.place) }
            checkExports(in: inner)
        }
        for one in message.enums where one.visibility == .export && !message.isNamespace {
            failExport(one.fullName, at: one.place)
        }
    }

    private func failExport(_ name: String, at place: Place) {
        fail("'\(name)' stands in a message and cannot be exported", at: place, hint: "Move it out of the message.")
    }
}

extension MessageDescriptor {
    /// Whether it only holds enums together: it is for its file alone, and all of its numbers are reserved.
    fileprivate var isNamespace: Bool {
        guard parent == nil, visibility != .export, reservedRanges.count == 1 else { return false }
        return reservedRanges[0].first == 1 && reservedRanges[0].last == FieldNumbers.last
    }
}
