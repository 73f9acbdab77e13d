// SPDX-License-Identifier: Apache-2.0
// What every example may use: a value that is only type-checked, and a function that takes anything.

func placeholder<T>() -> T { fatalError() }

func show<each Value>(_ values: repeat each Value) {}
