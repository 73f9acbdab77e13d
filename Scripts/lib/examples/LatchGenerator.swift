// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

@testable import LatchGenerator

nonisolated(unsafe) let compilation: Compilation = placeholder()
nonisolated(unsafe) let types: TypeTable = placeholder()
let options: GenerationOptions = placeholder()
nonisolated(unsafe) let plan: MethodPlan = placeholder()

func read(_ name: String) -> [UInt8]? { placeholder() }
