/**
 * Ordinary least squares with a few columns, by the normal equations, which the explanations of demand are fitted with, and robust
 * statistics. Sorted arrays are ascending.
 */

/** Quantile with linear interpolation; NaN of no values. */
export function quantileOf(ascending: ArrayLike<number>, share: number): number {
  const at = (ascending.length - 1) * share;
  const below = Math.floor(at);
  const low = ascending[below] ?? Number.NaN;
  const high = ascending[below + 1] ?? low;
  return low + (high - low) * (at - below);
}

/** A sorted copy. NaN comes last. */
export const sorted = (values: ArrayLike<number>): Float64Array => new Float64Array(values).sort();

/** The median; NaN without values. */
export const medianOf = (values: ArrayLike<number>): number => quantileOf(sorted(values), 0.5);

/** A fitted line, plane or other sum of columns. */
export interface Fit {
  readonly coefficients: readonly number[];
  /** Sum of the squared residuals. */
  readonly residual: number;
  /** Item `i * k + j`: of the inverse of the normal matrix. */
  readonly inverse: readonly number[];
}

/** Relative size of a pivot below which a column is a combination of the others. */
const LEAST_PIVOT = 1e-9;

/** The inverse of a symmetric positive matrix, row by row; `undefined` if it has none. */
function inverseOf(matrix: readonly number[], size: number): number[] | undefined {
  const a = [...matrix];
  const b = a.map((_, i): number => (Math.floor(i / size) === i % size ? 1 : 0));
  for (let p = 0; p < size; p += 1) {
    const pivot = a[p * size + p] as number;
    if (!(Math.abs(pivot) > LEAST_PIVOT * (matrix[p * size + p] as number))) return undefined;
    for (let j = 0; j < size; j += 1) {
      a[p * size + j] = (a[p * size + j] as number) / pivot;
      b[p * size + j] = (b[p * size + j] as number) / pivot;
    }
    for (let i = 0; i < size; i += 1) {
      const factor = a[i * size + p] as number;
      if (i === p || factor === 0) continue;
      for (let j = 0; j < size; j += 1) {
        a[i * size + j] = (a[i * size + j] as number) - factor * (a[p * size + j] as number);
        b[i * size + j] = (b[i * size + j] as number) - factor * (b[p * size + j] as number);
      }
    }
  }
  return b;
}

/**
 * @param columns of the length of the values
 * @returns `undefined` if a column is a combination of the others
 */
export function fitColumns(columns: readonly Float64Array[], values: Float64Array): Fit | undefined {
  const size = columns.length;
  const matrix = new Array<number>(size * size).fill(0);
  const right = new Array<number>(size).fill(0);
  for (const [i, a] of columns.entries()) {
    for (let j = i; j < size; j += 1) {
      const b = columns[j] as Float64Array;
      let sum = 0;
      for (let n = 0; n < values.length; n += 1) sum += (a[n] as number) * (b[n] as number);
      matrix[i * size + j] = sum;
      matrix[j * size + i] = sum;
    }
    let sum = 0;
    for (let n = 0; n < values.length; n += 1) sum += (a[n] as number) * (values[n] as number);
    right[i] = sum;
  }
  const inverse = inverseOf(matrix, size);
  if (inverse === undefined) return undefined;
  const coefficients = right.map((_, i) => right.reduce((sum, r, j) => sum + r * (inverse[i * size + j] as number), 0));
  let residual = 0;
  for (let n = 0; n < values.length; n += 1) {
    let fitted = 0;
    for (let i = 0; i < size; i += 1)
      fitted += (coefficients[i] as number) * ((columns[i] as Float64Array)[n] as number);
    residual += ((values[n] as number) - fitted) ** 2;
  }
  return { coefficients, residual, inverse };
}

/** How uncertain the fitted value of a row is, as a share of the variance of a residual. */
export function leverageOf({ inverse }: Pick<Fit, 'inverse'>, row: readonly number[]): number {
  let sum = 0;
  for (const [i, a] of row.entries()) {
    for (const [j, b] of row.entries()) sum += a * b * (inverse[i * row.length + j] as number);
  }
  return sum;
}
